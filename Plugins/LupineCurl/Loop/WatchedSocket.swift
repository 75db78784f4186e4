import LupineCore
import LupineEventLoop

/// The loop's state of one of libcurl's descriptors.
final class WatchedSocket {
  /// A number that no other connection of the loop has; 0 if the descriptor is not a connection.
  var id: UInt64 = 0
  /// The number of the descriptor.
  let descriptor: Int32
  /// The multi that uses the descriptor.
  var multi: Multi
  /// The events that epoll watches for; 0 if the descriptor is not watched.
  var watchedEvents: UInt32 = 0
  /// The origin of the last exchange on the connection; `nil` before it has ended.
  var host: HostQueue?
  /// When the last exchange on the connection ended.
  var idleSince: UInt64 = 0
  /// The events that libcurl waits for; 0 while the connection is idle or all of its exchanges are paused.
  var requestedEvents: UInt32 = 0
  /// The exchange for which libcurl last reported the descriptor.
  var exchangeID: UInt64 = 0
  /// Whether the descriptor is a connection, whose close libcurl reports, and not a pipe of its resolver.
  var isConnection = false
  /// Whether the connection uses HTTP/2, so that frames may arrive at any time.
  var isMultiplexed = false
  /// The ports of a connection that may carry several exchanges; nil until they are read.
  var ports: SocketPorts?
  /// The `SSL` object of a connection over a Unix-domain socket.
  var tlsConnection: OpaquePointer?
  /// The processor time that libcurl may spend on the connection without delivering data.
  var floodBudget = FloodBudget()
  /// The number of bytes that had been sent at the last idle write, which `recordIdleWrite(to:_:)` records.
  var bytesSent: Int64?
  /// Whether an upload waits for the server's window, so that the connection is not watched for room in the socket.
  var awaitsWindow = false
  /// The local port of the connection if its address is not the one that libcurl has tried; see `AddressRace`.
  var replacedPort: Int32?
  /// Whether libcurl has closed the connection.
  var isClosed = false
  /// The TLS details of the connection; nil until they are read.
  var tlsDetails: TLSDetails?
  /// The last stream that the server processes, from its GOAWAY frame; nil before that.
  var lastStream: UInt32?
  /// The highest number of a stream on which a part of a response has arrived.
  var lastAnsweredStream: UInt32 = 0

  /// Records that a part of the response on a stream has arrived.
  func recordAnswer(on stream: UInt32) { lastAnsweredStream = max(stream, lastAnsweredStream) }

  init(_ descriptor: Int32, _ multi: Multi) {
    self.descriptor = descriptor
    self.multi = multi
  }
}
