import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import Synchronization

/// A request for the file of a picture.
struct ImageFileRequest: SessionRequest {
  let execution: RequestExecution

  init(_ request: OutgoingRequest, limits: ImageLimits, in session: Session) {
    execution = session.makeExecution(handler: ImageResponseHandler(limits: limits)) { request }
    validate(statusCode: 200..<300)
  }
}

/// Stores a file in memory if its type is that of a picture and its length is within the limit.
final class ImageResponseHandler: ResponseHandler {
  private let limits: ImageLimits

  init(limits: ImageLimits) { self.limits = limits }

  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in session: Session
  ) async throws(LupineError) -> ResponseDecision {
    guard response.head.status.kind == .successful else {
      return ResponseDecision(.receive(.collect(limit: session.limits.errorBody), offset: 0), acceptsLongBody: true)
    }
    let fields = response.head.headerFields
    if let type = fields[.contentType] { try ImageFormat.check(contentType: type) }
    // The length of a coded body says nothing about the file.
    if fields[.contentEncoding] == nil, let length = fields[.contentLength].flatMap({ Int($0) }) {
      try limits.check(fileSize: length)
    }
    return ResponseDecision(.receive(BodySink(.collect(limit: .max), stages: [FileSizeStage(limits)]), offset: 0))
  }
}

/// Ends a body that is longer than a file may be, with the error that names the limit.
final class FileSizeStage: BodyTransformer {
  private let limits: ImageLimits
  private let count = Mutex(0)

  init(_ limits: ImageLimits) { self.limits = limits }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    let count = count.withLock { count in
      count += input.count
      return count
    }
    try limits.check(fileSize: count)
    try output(input)
  }

  func finish(into output: Output) throws(LupineError) {}
}
