import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import Synchronization

/// A server of resumable uploads by swift-nio-extras, whose connections end after some bytes.
final class CuttingNIOServer: Sendable {
  struct State {
    /// The bytes that the handler of the program has received, by the path of the creating request.
    var files: [String: [UInt8]] = [:]
    /// The paths whose upload is complete.
    var complete: [String] = []
    /// The numbers of received bytes after which a connection ends, each used once.
    var cuts: [Int] = []
    var isLocated = false
    var context: HTTPResumableUploadContext?
  }

  final class Shared: Sendable {
    let state = Mutex(State())
  }

  let shared = Shared()
  let port: Int
  private let channel: any Channel

  init() async throws {
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { [shared] channel in
        channel.eventLoop.makeCompletedFuture {
          guard let context = shared.state.withLock({ $0.context }) else { throw ChannelError.ioOnClosedChannel }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(Cutter(shared))
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
          try pipeline.addHandler(HTTPResumableUploadHandler(context: context, handlers: [Receiver(shared)]))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
    let context = HTTPResumableUploadContext(origin: "http://127.0.0.1:\(port)")
    shared.state.withLock { $0.context = context }
  }

  var url: String { "http://127.0.0.1:\(port)/" }

  func cut(after counts: [Int]) {
    shared.state.withLock {
      $0.cuts = counts
      $0.isLocated = false
    }
  }

  /// Notes that the client knows the location, so that a connection may end.
  func locate() { shared.state.withLock { $0.isLocated = true } }

  func stop() async throws { try await channel.close() }
}

/// Closes a connection after a number of bytes, once the client knows the location.
private final class Cutter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let shared: CuttingNIOServer.Shared
  private var count = 0

  init(_ shared: CuttingNIOServer.Shared) { self.shared = shared }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    let before = count
    count += buffer.readableBytes
    let cut = shared.state.withLock { [count] state -> Int? in
      guard state.isLocated, let next = state.cuts.last, count > next else { return nil }
      return state.cuts.popLast()
    }
    guard let cut else { return context.fireChannelRead(data) }
    if let part = buffer.readSlice(length: max(0, min(buffer.readableBytes, cut - before))) {
      context.fireChannelRead(wrapInboundOut(part))
    }
    context.close(promise: nil)
  }
}

/// Keeps the content of an upload, and answers when it is complete.
private final class Receiver: ChannelInboundHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let shared: CuttingNIOServer.Shared
  private var path = ""

  init(_ shared: CuttingNIOServer.Shared) { self.shared = shared }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let request):
      path = request.path ?? ""
      shared.state.withLock { [path] in $0.files[path] = [] }
    case .body(let bytes): shared.state.withLock { [path] in $0.files[path, default: []] += bytes.readableBytesView }
    case .end:
      shared.state.withLock { [path] in $0.complete.append(path) }
      // The server stops reading a connection that is used again after an upload was continued on it.
      let head = HTTPResponse(status: .created, headerFields: [.contentLength: "8", .connection: "close"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(ByteBuffer(string: "complete"))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
