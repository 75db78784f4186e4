import Foundation
import Lupine

/// The name of an upload that a later process continues; `nil` for any other request.
enum UploadName: RequestOptionKey {
  static var defaultValue: String? { nil }
}

/// Stores how many bytes of an upload the server has.
struct UploadRecords: Sendable {
  let store: any CheckpointStore

  func offset(of upload: String) async throws(LupineError) -> Int64 {
    let state = try await BlockingWork.run { () throws(LupineError) in try store.read(upload) }
    return state.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
  }

  func note(_ offset: Int64, of upload: String) async throws(LupineError) {
    try await BlockingWork.run { () throws(LupineError) in try store.write(Data(String(offset).utf8), to: upload) }
  }

  func remove(_ upload: String) async throws(LupineError) {
    try await BlockingWork.run { () throws(LupineError) in try store.remove(upload) }
  }
}

/// Sends the rest of an upload whose beginning the server already has.
struct ResumingLayer: ExchangeLayer {
  let records: UploadRecords

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    guard let name = request.options[UploadName.self] else { return try await next(request, in: context) }
    let offset = try await records.offset(of: name)
    var rest = request
    rest.body = try request.body.suffix(from: offset)
    let response = try await next(rest, in: context.continuingUpload(at: offset))
    if response.head.status.kind == .successful { try await records.remove(name) }
    return response
  }
}

/// Sends a request without the first bytes of its body, as an interceptor does that knows how many the server has.
struct RestInterceptor: Interceptor {
  let offset: Int64

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let offset = offset
    var rest = request
    rest.body = try request.body.suffix(from: offset)
    rest.options[ExchangeContextChange.self] = { $0.continuingUpload(at: offset) }
    return try await next(rest)
  }
}

/// Sends an append of an upload, and follows only the redirects that keep its method.
struct AppendInterceptor: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    var append = request
    append.options[PermittedRedirects.self] = { [307, 308].contains($0.status.code) }
    return try await next(append)
  }
}
