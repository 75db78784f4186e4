import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineResumableUpload
import LupineSession
import LupineTransfers
import Synchronization
import Testing

/// Uploads over the mock, to a server that loses connections.
@Suite struct ResumableUploadTests {
  private static let body = Data.pattern(10_000)

  private static func upload(
    to server: UploadServer, _ body: RequestBody = .bytes(body), method: HTTPRequest.Method = .post,
    headers: RequestHeaders = [.contentType("video/mp4")], creation: UploadCreation = .optimistic,
    configure: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> ResumableUploadRequest {
    let builder = Session.Builder().transport(server.mock()).baseURL("https://example.com").clock(ImmediateClock())
    return try configure(builder).build()
      .upload(body, to: "files", method: method, headers: headers).validate().resumable(server.dialect, creation)
  }

  static let dialects: [UploadDialect] = [.draft(6), .draft(8), .final]

  @Test(arguments: dialects) func `an upload without a failure is one request`(dialect: UploadDialect) async throws {
    let server = UploadServer(dialect)
    #expect(try await Self.upload(to: server).serializingString().value == "received")
    #expect(server.log == ["POST 10000"])
    #expect(server.complete == [Self.body])
    let fields = try #require(server.state.withLock { $0.headers }.first)
    #expect(fields["Upload-Complete"] == "?1")
    #expect(fields["Upload-Length"] == "10000")
    #expect(fields["Content-Type"] == "video/mp4")
    let version: String? = if case .draft(let version) = dialect { "\(version)" } else { nil }
    #expect(fields["Upload-Draft-Interop-Version"] == version)
  }

  @Test(arguments: dialects) func `after a loss the rest is sent`(dialect: UploadDialect) async throws {
    let server = UploadServer(dialect)
    server.lose(.after(bytes: 3_000), .after(bytes: 2_000), .after(bytes: 0))
    let upload = try Self.upload(to: server).resumesAutomatically()
    #expect(try await upload.serializingString().value == "received")
    #expect(
      server.log == [
        "POST 10000", "HEAD", "PATCH@3000 7000", "HEAD", "PATCH@5000 5000", "HEAD", "PATCH@5000 5000",
      ])
    #expect(server.complete == [Self.body])
    #expect(server.state.withLock { $0.conflicts } == 0)
    let fields = server.state.withLock { $0.headers }[2]
    #expect(fields["Content-Type"] == "application/partial-upload")
    #expect(fields["Upload-Complete"] == "?1")
    #expect(fields["Upload-Length"] == nil)
  }

  @Test func `a server without support receives a normal upload, which is not resumed`() async throws {
    let server = UploadServer(.draft(8))
    server.change { state in state.override = { request, _ in .text("plain \(request.body.count)") } }
    #expect(try await Self.upload(to: server).serializingString().value == "plain 10000")
    server.change { state in state.override = { _, _ in .reset } }
    let upload = try Self.upload(to: server).resumesAutomatically()
    let error = await upload.serializingString().response.error
    #expect(error?.kind == .connectionLost)
    #expect(server.log == ["POST 10000", "POST 10000"])
  }

  @Test func `an idempotent upload without a location is repeated`() async throws {
    let server = UploadServer()
    server.lose(.everything)
    server.change { $0.sendsInterim = false }
    let upload = try Self.upload(to: server, method: .put).resumesAutomatically()
    #expect(try await upload.serializingString().value == "received")
    #expect(server.log == ["PUT", "PUT"])
  }

  @Test func `if only the response was lost, the answer to HEAD is the response`() async throws {
    let server = UploadServer()
    server.lose(.response)
    let response = try await Self.upload(to: server).resumesAutomatically().serializingData()
      .response
    #expect(response.error == nil)
    #expect(response.response?.status == .noContent)
    #expect(server.log == ["POST 10000", "HEAD"])
    #expect(server.complete == [Self.body])
  }

  @Test func `without progress three retries in a row end the upload`() async throws {
    let server = UploadServer()
    server.lose(.after(bytes: 100), .after(bytes: 0), .after(bytes: 0), .after(bytes: 0), .after(bytes: 0))
    let error = try await Self.upload(to: server).resumesAutomatically().serializingString().response.error
    #expect(error?.kind == .connectionLost)
    #expect(server.log == ["POST 10000"] + [[String]](repeating: ["HEAD", "PATCH@100 9900"], count: 4).flatMap { $0 })
  }

  @Test func `a careful upload begins with an empty request`() async throws {
    let server = UploadServer()
    server.change { $0.sendsInterim = false }
    server.lose(.after(bytes: 4_000))
    let upload = try Self.upload(to: server, creation: .careful).resumesAutomatically()
    #expect(try await upload.serializingString().value == "received")
    #expect(server.log == ["POST 0", "PATCH@0 10000", "HEAD", "PATCH@4000 6000"])
    #expect(server.complete == [Self.body])
    #expect(server.uploads.first?.contentType == "video/mp4")
  }

  @Test func `an empty upload is an upload`() async throws {
    for creation in [UploadCreation.optimistic, .careful] {
      let server = UploadServer()
      #expect(
        try await Self.upload(to: server, .bytes(Data()), creation: creation).serializingString().value == "received")
      #expect(server.complete == [Data()])
    }
  }

  @Test func `the appends keep the limit of the server`() async throws {
    let server = UploadServer()
    server.change { $0.limits = "max-append-size=4096" }
    server.change { $0.maximumContent = 4_096 }
    #expect(try await Self.upload(to: server, creation: .careful).serializingString().value == "received")
    #expect(server.log == ["POST 0", "PATCH@0 4096", "PATCH@4096 4096", "PATCH@8192 1808"])
    #expect(server.complete == [Self.body])
    // Without the knowledge of the limit, 413 states it.
    #expect(try await Self.upload(to: server).serializingString().value == "received")
    #expect(server.log.dropFirst(4).first == "POST 10000")
    #expect(server.complete == [Self.body, Self.body])
  }

  @Test func `an upload above the limit fails and is deleted`() async throws {
    let server = UploadServer()
    server.change { $0.limits = "max-size=9999" }
    for creation in [UploadCreation.careful, .optimistic] {
      let error = try await Self.upload(to: server, creation: creation).serializingString().response.error
      #expect(error?.kind == .uploadSizeRefused)
    }
    #expect(server.log == ["POST 0", "DELETE", "POST 10000", "DELETE"])
    #expect(server.uploads.isEmpty)
  }

  @Test func `a conflict states the offset, in a field or in its problem description`() async throws {
    for isProblem in [false, true] {
      let server = UploadServer()
      server.lose(.after(bytes: 3_000))
      server.change { state in
        state.override = { request, state in
          guard request.method == .patch, request.headers["Upload-Offset"] == "3000" else { return nil }
          // Bytes that arrived late.
          state.uploads["/uploads/1"]?.data = Self.body.prefix(5_000)
          let problem =
            #"{"type":"https://iana.org/assignments/http-problem-types#mismatching-upload-offset","expected-offset":5000}"#
          return isProblem
            ? .text(problem).status(.conflict).field(.contentType, "application/problem+json")
            : .status(.conflict).field("Upload-Offset", "5000")
        }
      }
      #expect(try await Self.upload(to: server).resumesAutomatically().serializingString().value == "received")
      #expect(server.log == ["POST 10000", "HEAD", "PATCH@3000 7000", "PATCH@5000 5000"])
      #expect(server.complete == [Self.body])
    }
  }

  @Test func `an impossible offset ends the upload, which is deleted`() async throws {
    for offset in ["2999", "10001", "no", "-1", "3000, 3000"] {
      let server = UploadServer()
      server.lose(.after(bytes: 3_000), .after(bytes: 0))
      server.change { state in
        state.override = { request, state in
          guard request.method == .head, state.log.count > 3 else { return nil }
          return .empty.field("Upload-Offset", offset)
        }
      }
      let error = try await Self.upload(to: server).resumesAutomatically().serializingString().response.error
      #expect(error?.kind == .resumeFailed, "\(offset)")
      #expect(server.log == ["POST 10000", "HEAD", "PATCH@3000 7000", "HEAD", "DELETE"])
      #expect(server.uploads.isEmpty)
    }
  }

  @Test func `an offset that jumps over bytes which were never sent ends the upload`() async throws {
    let server = UploadServer()
    server.change { state in
      state.override = { request, _ in
        switch request.method {
        case .patch: .fault(.connectionRefused)
        case .head: .empty.field("Upload-Offset", "9000")
        default: nil
        }
      }
    }
    let upload = try Self.upload(to: server, creation: .careful).resumesAutomatically()
    let error = await upload.serializingString().response.error
    #expect(error?.kind == .resumeFailed)
    #expect(error?.message.contains("9000") == true)
    #expect(server.log == ["POST 0", "PATCH@0 10000", "HEAD", "DELETE"])
    #expect(server.uploads.isEmpty)
  }

  @Test func `an upload that the server has lost begins again`() async throws {
    let server = UploadServer()
    server.lose(.after(bytes: 3_000))
    server.change { state in
      state.override = { request, state in
        if request.method == .head { state.uploads = [:] }
        return nil
      }
    }
    #expect(try await Self.upload(to: server).resumesAutomatically().serializingString().value == "received")
    #expect(server.log == ["POST 10000", "HEAD", "POST 10000"])
    server.lose(.after(bytes: 3_000))
    let error = try await Self.upload(to: server).resumesAutomatically(otherwise: .fail).serializingString().response
      .error
    #expect(error?.kind == .resumeFailed)
  }

  @Test func `a status of the server ends the attempt, and the session's retriers decide`() async throws {
    let server = UploadServer()
    server.change { state in
      state.override = { request, state in
        guard request.method == .post else { return nil }
        state.uploads["/uploads/1"] = UploadServer.Upload(data: Self.body.prefix(100))
        let place = HTTPResponse(
          status: .init(code: 104),
          headerFields: UploadStateTests.fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "8"]))
        return MockReply.status(.serviceUnavailable).informational([place])
      }
    }
    let upload = try Self.upload(to: server) {
      $0.retrier { $0.response?.status == .serviceUnavailable ? .retry : .doNotRetry }
    }
    #expect(try await upload.serializingString().value == "received")
    #expect(server.log == ["POST 10000", "HEAD", "PATCH@100 9900"])
  }

  @Test func `a retry after an upload has ended begins another one`() async throws {
    let server = UploadServer()
    server.lose(.after(bytes: 3_000))
    server.change { state in
      state.override = { request, state in
        guard request.method == .head, state.log.count == 2 else { return nil }
        return .empty.field("Upload-Offset", "10001")
      }
    }
    let upload = try Self.upload(to: server) {
      $0.retrier { $0.error?.kind == .resumeFailed ? .retry : .doNotRetry }
    }
    #expect(try await upload.resumesAutomatically().serializingString().value == "received")
    #expect(server.log == ["POST 10000", "HEAD", "DELETE", "POST 10000"])
    #expect(server.complete == [Self.body])
  }

  @Test(arguments: ["sha256", "sha1", nil])
  func `tus creates the upload, appends, and checks each append`(algorithm: String?) async throws {
    let server = UploadServer(.tus)
    if let algorithm {
      let fields = UploadStateTests.fields([
        "Tus-Extension": "creation,checksum", "Tus-Checksum-Algorithm": "md5,\(algorithm)",
      ])
      server.change { $0.abilities = fields }
    }
    server.lose(.after(bytes: 3_000))
    let upload = try Self.upload(to: server).sendingDigest().resumesAutomatically()
    let response = await upload.serializingData().response
    #expect(response.error == nil)
    #expect(server.log == ["OPTIONS", "POST 0", "PATCH@0 10000", "HEAD", "PATCH@3000 7000"])
    #expect(server.complete == [Self.body])
    let all = server.state.withLock { $0.headers }
    #expect(all[0]["Tus-Resumable"] == nil)
    let headers = Array(all.dropFirst())
    #expect(headers.allSatisfy { $0["Tus-Resumable"] == "1.0.0" && $0["Upload-Complete"] == nil })
    #expect(headers[0]["Upload-Length"] == "10000")
    #expect(headers[0]["Upload-Metadata"] == "filetype dmlkZW8vbXA0")
    #expect(headers[0]["Content-Type"] == nil)
    #expect(headers[1]["Content-Type"] == "application/offset+octet-stream")
    #expect(headers[1]["Upload-Checksum"]?.hasPrefix("\(algorithm ?? "sha1") ") == true)
    #expect(headers[1]["Upload-Checksum"] != headers[3]["Upload-Checksum"])
  }

  @Test(arguments: [
    ["Tus-Extension": "creation"], ["Tus-Extension": "creation,checksum", "Tus-Checksum-Algorithm": "md5"],
    ["Tus-Extension": "checksum"],
  ])
  func `a server of tus without a needed extension receives nothing`(fields: [String: String]) async throws {
    let server = UploadServer(.tus)
    server.change { state in
      state.abilities = fields.reduce(into: HTTPFields()) { $0[HTTPField.Name($1.key) ?? .accept] = $1.value }
    }
    let error = try await Self.upload(to: server).sendingDigest().serializingString().response.error
    #expect(error?.kind == .resumeFailed)
    #expect(server.log == ["OPTIONS"])
  }

  @Test func `a size above that of a server of tus is refused before the upload is created`() async throws {
    let server = UploadServer(.tus)
    server.change { $0.abilities = UploadStateTests.fields(["Tus-Max-Size": "9999"]) }
    let error = try await Self.upload(to: server).sendingDigest().serializingString().response.error
    #expect(error?.kind == .uploadSizeRefused)
    #expect(server.log == ["OPTIONS"])
  }

  @Test(arguments: [("creation,checksum", false), ("creation,checksum,termination", true)])
  func `an upload is deleted if the server of tus can do that`(extensions: String, isDeleted: Bool) async throws {
    let server = UploadServer(.tus)
    server.lose(.after(bytes: 3_000))
    server.change { state in
      state.abilities = UploadStateTests.fields(["Tus-Extension": extensions])
      state.override = { request, _ in request.method == .head ? .empty.field("Upload-Offset", "10001") : nil }
    }
    let upload = try Self.upload(to: server).sendingDigest().resumesAutomatically()
    #expect(await upload.serializingString().response.error?.kind == .resumeFailed)
    #expect(server.log == ["OPTIONS", "POST 0", "PATCH@0 10000", "HEAD"] + (isDeleted ? ["DELETE"] : []))
  }

  @Test func `the digest of the whole is sent with the creation alone`() async throws {
    let server = UploadServer()
    server.lose(.after(bytes: 3))
    let upload = try Self.upload(to: server, .text("hello")).sendingDigest().resumesAutomatically()
    #expect(try await upload.serializingString().value == "received")
    let headers = server.state.withLock { $0.headers }
    #expect(headers[0]["Repr-Digest"] == "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:")
    #expect(headers.dropFirst().allSatisfy { $0["Repr-Digest"] == nil })
  }

  @Test func `progress never falls, and ends with the whole length`() async throws {
    for creation in [UploadCreation.optimistic, .careful] {
      let server = UploadServer()
      server.lose(.after(bytes: 3_000), .after(bytes: 2_000))
      let progress = Mutex<[TransferProgress]>([])
      let upload = try Self.upload(to: server, creation: creation).resumesAutomatically()
        .uploadProgress { value in progress.withLock { $0.append(value) } }
      _ = try await upload.serializingString().value
      let values = progress.withLock { $0 }
      #expect(values.last?.completed == 10_000)
      #expect(values.allSatisfy { $0.total == 10_000 })
      #expect(zip(values, values.dropFirst()).allSatisfy { $0.completed <= $1.completed })
    }
  }

  /// A handler that is slow receives only the latest value.
  @Test(arguments: [UploadDialect.draft(8), .final, .tus])
  func `progress counts what the server has stated, and not what was sent`(dialect: UploadDialect) async throws {
    let server = UploadServer(dialect)
    server.change { $0.limits = "max-append-size=4000" }
    server.lose(.after(bytes: 3_000), .after(bytes: 2_000))
    let progress = Mutex<[Int64]>([])
    let upload = try Self.upload(to: server, creation: .careful).resumesAutomatically()
      .uploadProgress { value in progress.withLock { $0.append(value.completed) } }
    _ = try await upload.serializingString().value
    let values = progress.withLock { $0 }
    #expect(values.last == 10_000)
    #expect(Set(values).isSubset(of: [0, 3_000, 5_000, 9_000, 10_000]), "\(values)")
  }

  @Test func `a body that cannot be sent again, or a version that is unknown, sends nothing`() async throws {
    let server = UploadServer()
    let stream = AsyncStream<[UInt8]> { $0.finish() }
    let error = try await Self.upload(to: server, .oneShot(stream)).serializingString().response.error
    #expect(error?.kind == .invalidRequest)
    let unknown = try await Self.upload(to: UploadServer(.draft(5))).serializingString().response.error
    #expect(unknown?.kind == .invalidRequest)
    #expect(server.log == [])
  }

  @Test func `a stream that can be made again is cut into parts`() async throws {
    let server = UploadServer()
    server.change { $0.limits = "max-append-size=3000" }
    server.lose(.after(bytes: 10))
    let stream = RequestBody.stream(length: 10_000) {
      AsyncStream<[UInt8]> { stream in
        for start in stride(from: 0, to: 10_000, by: 700) {
          stream.yield(Array(Self.body[start..<min(start + 700, 10_000)]))
        }
        stream.finish()
      }
    }
    let upload = try Self.upload(to: server, stream, creation: .careful).resumesAutomatically()
    #expect(try await upload.serializingString().value == "received")
    #expect(
      server.log == [
        "POST 0", "PATCH@0 3000", "HEAD", "PATCH@10 3000", "PATCH@3010 3000", "PATCH@6010 3000", "PATCH@9010 990",
      ])
    #expect(server.complete == [Self.body])
  }
}
