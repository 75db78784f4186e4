import LupineCore

/// The connection attempts of one exchange to further addresses of the host, beside libcurl's own (RFC 8305 section 5).
///
/// libcurl tries one address of each family at a time. It gives up a silent address only after half of the connect
/// timeout, and begins the next attempt after that.
final class AddressRace {
  /// The time from the beginning of one attempt to that of the next one, in nanoseconds.
  static let delay: UInt64 = 250_000_000

  let port: Int
  /// The addresses to which no attempt has begun, in order.
  private(set) var waiting: [IPAddress]
  /// When the next attempt begins; nil if no address waits.
  private(set) var deadline: UInt64?
  /// The sockets of libcurl's own attempts.
  var attempts: [Int32]
  /// The sockets of the other attempts, and their addresses.
  var sockets: [Int32: IPAddress] = [:]

  /// - Parameters:
  ///   - first: the socket of libcurl's first attempt.
  ///   - now: the time of the monotonic clock in nanoseconds.
  init(to others: [IPAddress], port: Int, beside first: Int32, at now: UInt64) {
    self.port = port
    waiting = others
    attempts = [first]
    deadline = now + Self.delay
  }

  /// Records that libcurl has begun an attempt.
  func record(_ descriptor: Int32, to address: IPAddress) {
    attempts.append(descriptor)
    waiting.removeAll { $0 == address }
  }

  /// Returns the address of the next attempt, which begins now; nil if no address waits.
  func next(at now: UInt64) -> IPAddress? {
    guard !waiting.isEmpty else {
      deadline = nil
      return nil
    }
    deadline = waiting.count > 1 ? now + Self.delay : nil
    return waiting.removeFirst()
  }
}
