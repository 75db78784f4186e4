import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineSupport

/// Replaces a request with the requests of its resumable upload.
struct ResumableUploadInterceptor: Interceptor {
  let upload: ResumableUpload

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let beginning = try await upload.begin(request)
    let requests = UploadRequests(dialect: upload.settings.dialect, original: request)
    let attempt = UploadAttempt(upload: upload, requests: requests, beginning: beginning, context: context)
    if let superseded = beginning.superseded { await attempt.delete(superseded, next) }
    return try await attempt.run(next)
  }
}

/// One attempt of an upload.
struct UploadAttempt: Sendable {
  typealias Next = nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse

  let upload: ResumableUpload
  let requests: UploadRequests
  let beginning: ResumableUpload.Beginning
  let context: TransferContext

  func run(_ next: Next) async throws -> TransportResponse {
    var step = upload.withState { [now = context.now()] in $0.begin(now: now) } ?? .finish
    var last: TransportResponse?
    defer { upload.endExchange() }
    while case .send(let action) = step {
      if let last { await drain(last) }
      let response = try await send(action, next)
      let offset = await problemOffset(of: response)
      step = upload.receive(response.head, problemOffset: offset, now: context.now())
      upload.reportProgress()
      if case .send = step { try await upload.keep(requests.original) }
      last = response
    }
    if case .fail(let error) = step { throw await givingUp(last.map { error.about($0.head) } ?? error, last, next) }
    guard let last else { throw LupineError.uploadEnded("The upload has ended.") }
    if last.head.status.kind == .successful { await upload.end() }
    return last
  }

  /// Sends one request; writes the checkpoint meanwhile, as soon as the server names the location.
  private func send(_ action: UploadState.Action, _ next: Next) async throws -> TransportResponse {
    if action != .query {
      do throws(LupineError) {
        try await beginning.source.checkUnchanged()
      } catch {
        throw await givingUp(error, nil, next)
      }
    }
    var request = try await request(for: action)
    let (changes, changed) = AsyncStream.makeStream(of: ExchangeControl.self, bufferingPolicy: .bufferingNewest(1))
    observe(&request, action, changed)
    async let kept: Void = keep(changes)
    do {
      let response = try await next(request)
      changed.finish()
      await kept
      return response
    } catch let failure {
      changed.finish()
      await kept
      let error = failure as? LupineError
      upload.exchangeFailed(sentNothing: !request.isIdempotent && error?.metrics?.bytesSent == 0)
      if let fault = upload.fault { throw await givingUp(fault, nil, next) }
      try? await upload.keep(requests.original)
      throw failure
    }
  }

  /// Writes the checkpoint after each interim response; ends the exchange if it cannot be written.
  private func keep(_ changes: AsyncStream<ExchangeControl>) async {
    for await exchange in changes {
      do throws(LupineError) { try await upload.keep(requests.original) } catch { exchange.cancel(error) }
    }
  }

  /// Deletes the upload at the server, forgets it here, and returns the error.
  private func givingUp(
    _ error: LupineError, _ last: TransportResponse?, _ next: Next
  ) async -> LupineError {
    if let last { await drain(last) }
    let (location, canDelete) = (upload.location, upload.abilities?.mayHave("termination") ?? true)
    await upload.end()
    if canDelete, let location { await delete(location, next) }
    return error
  }

  /// Deletes an upload at the server, if the server allows it.
  func delete(_ location: HTTPURL, _ next: Next) async {
    if let response = try? await next(requests.delete(location)) { await drain(response) }
  }

  /// Waits for the end of a body that is not needed, so that its connection can be used again.
  private func drain(_ response: TransportResponse) async {
    if !response.body.isStreamed { _ = try? await response.body.end() }
  }
}

/// The requests and the events of their exchanges.
extension UploadAttempt {
  private func request(for action: UploadState.Action) async throws -> OutgoingRequest {
    switch (action, upload.location) {
    case (.discover, _): return requests.discovery()
    case (.create(let content), _):
      return try requests.create(content, of: beginning.source.body, digest: beginning.digest)
    case (.query, let location?): return requests.query(location)
    case (.append(let part), let location?):
      let body = try beginning.source.bytes(of: part)
      let checksum = try await upload.abilities?.checksum?.field(for: body)
      return requests.append(part, of: body, to: location, checksum: checksum)
    case (_, nil): throw LupineError.uploadEnded("The upload has no location.")
    }
  }

  /// Observes the exchanges of a request, and places their bodies in the upload.
  private func observe(
    _ request: inout OutgoingRequest, _ action: UploadState.Action, _ changed: AsyncStream<ExchangeControl>.Continuation
  ) {
    let former = request.options[ExchangeContextChange.self]
    let (upload, total, now) = (upload, beginning.source.body.length, context.now)
    request.options[ExchangeContextChange.self] = { context in
      let context = former?(context) ?? context
      upload.beginExchange(context)
      let observed = context.observing { [control = context.control] event in
        switch event {
        case .sent(let bytes): upload.withState { $0.bodySent(bytes) }
        case .informational(let head):
          if let fault = upload.withState({ $0.receive(interim: head, now: now()) }) ?? nil { control.cancel(fault) }
          upload.reportProgress()
          changed.yield(control)
        default: break
        }
      }
      switch action {
      case .create(.whole): return observed
      case .create(.empty): return observed.continuingUpload(at: 0, of: total)
      case .discover, .query: return observed.continuingUpload(at: upload.acknowledged, of: total)
      case .append(let part): return observed.continuingUpload(at: part.offset, of: total)
      }
    }
  }

  /// The offset in the problem description (RFC 9457) of a conflict, if no field has it.
  private func problemOffset(of response: TransportResponse) async -> Int64? {
    guard response.statusCode == 409, response.head.uploadOffset == nil, !response.body.isStreamed,
      let type = response.head.headerFields[.contentType].flatMap({ MediaType($0) }),
      type.essence == "application/problem+json", let end = try? await response.body.end()
    else { return nil }
    return UploadProblem.offset(in: end.data)
  }
}

/// The problem type of an append at another offset than the upload's.
enum UploadProblem {
  private struct Members: Decodable {
    let type: String
    let offset: Int64

    enum CodingKeys: String, CodingKey {
      case type
      case offset = "expected-offset"
    }
  }

  /// The offset that the server expects; `nil` if the data are not this problem, or if the offset is no number from 0.
  static func offset(in data: Data) -> Int64? {
    guard let members = try? JSONDecoder().decode(Members.self, from: data), members.offset >= 0,
      members.type == "https://iana.org/assignments/http-problem-types#mismatching-upload-offset"
    else { return nil }
    return members.offset
  }
}
