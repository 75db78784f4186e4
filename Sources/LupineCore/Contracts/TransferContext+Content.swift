public import HTTPTypes
import LupineFoundation
import LupineSupport

extension TransferContext {
  /// Makes a response with content that a layer or a transport has, such as a stored file or a part of it.
  ///
  /// `RequestBody` describes the content: bytes, a file from an offset on, a stream. The content of a range of a stored
  /// body is `.file(path, offset: start, length: count)`, or a `suffix(from:)`. The bytes go to the destination that
  /// the session chooses, and are decoded if the head names a content coding. A file is read on threads that wait for
  /// disks, at the pace of the consumer: at most 1.25 MiB wait in memory. The bytes count as progress of the download.
  ///
  /// The head must fit the content (status, `Content-Length`, `Content-Range`); this method does not change it. The
  /// layer must not use `onCancel(_:)` for this exchange as well. If the content fails while it is read, the body fails
  /// with its error.
  ///
  /// - Parameters:
  ///   - head: the final head of the response.
  ///   - content: the bytes of the body.
  ///   - trailers: the trailers after the content. Default: none.
  /// - Throws: the error of a content that cannot be opened, such as a missing file, of kind `bodyFailed`; or the
  ///   reason for a cancellation of the exchange or the task, which ends the wait for the content.
  public func makeResponse(
    _ head: HTTPResponse, content: RequestBody, trailers: HTTPFields? = nil
  ) async throws(LupineError) -> TransportResponse {
    switch content.source {
    case .none:
      return TransportResponse(head: head, body: makeBody(for: head, content: Data(), trailers: trailers))
    case .bytes(let data):
      return TransportResponse(head: head, body: makeBody(for: head, content: data, trailers: trailers))
    case .file, .stream, .sequence: break
    }
    let (room, ready) = (Signal(), Signal())
    let reader = try await open(content, mayStayUnread: false) { ready.set() }
    let (body, writer) = makeBody(for: head) { room.set() }
    let task = Task(executorPreference: executor) { [control] in
      defer { reader.cancel() }
      do throws(LupineError) {
        try await Self.copy(reader, ready, to: writer, room, control)
        writer.finish(trailers: trailers, metrics: TransferMetrics())
      } catch {
        writer.fail(error, metrics: TransferMetrics())
      }
    }
    onCancel { task.cancel() }
    return TransportResponse(head: head, body: body)
  }

  /// Why a copy stops.
  private enum Stop { case end, noRoom, noBytes }

  /// Copies the content on threads that wait for disks, until its end, until the body is dropped, or until `control` is
  /// cancelled.
  private static func copy(
    _ reader: any BodyReader, _ ready: Signal, to writer: ResponseBodyWriter, _ room: Signal, _ control: ExchangeControl
  ) async throws(LupineError) {
    while true {
      // Before the calls that may set them again.
      room.clear()
      ready.clear()
      let stop = try await BlockingWork.run { () throws(LupineError) in try copy(reader, to: writer, control) }
      switch stop {
      case .end: return
      case .noRoom: await room.wait()
      case .noBytes: await ready.wait()
      }
    }
  }

  private static func copy(
    _ reader: any BodyReader, to writer: ResponseBodyWriter, _ control: ExchangeControl
  ) throws(LupineError) -> Stop {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 1)
    defer { space.deallocate() }
    while true {
      if let reason = control.reason { throw reason }
      if writer.exchange.channel.isAbandoned { throw LupineError(.cancelled, "The response was not needed any more.") }
      switch try reader.read(into: space) {
      case .bytes(let count):
        let flow = try writer.write(UnsafeRawBufferPointer(rebasing: space[..<count]))
        if flow == .pause { return .noRoom }
      case .pending: return .noBytes
      case .end: return .end
      }
    }
  }
}
