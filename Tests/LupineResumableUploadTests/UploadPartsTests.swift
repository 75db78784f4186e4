import FoundationEssentials
import HTTPTypes
import LupineCore
import Testing

@testable import LupineResumableUpload

/// Uploads that begin without content, in parts within the limits of the server, and those of tus.
@Suite struct UploadPartsTests: UploadScript {
  static let careful: [([UploadEvent], UploadExpectation)] = [
    ([], .empty),
    ([.answer(201, place)], .part(0, 100, isLast: true)),
    ([.answer(201)], .failure),
    ([.answer(200, fields(["Location": "/files"]))], .failure),
    ([.answer(404)], .finish),
    ([.begin], .empty),
    ([.answer(201, fields(["Location": "/uploads/1", "Upload-Complete": "?1"]))], .failure),
    ([.answer(201, fields(["Location": "/uploads/1", "Upload-Offset": "101"]))], .failure),
    // More than any request has sent.
    ([.answer(201, fields(["Location": "/uploads/1", "Upload-Offset": "1"]))], .failure),
    ([.answer(201, place), .begin, .answer(204, offset("100"))], .part(100, 100, isLast: true)),
    (limited("max-append-size=60") + [.sent, .begin, .answer(204, offset("60"))], .part(60, 100, isLast: true)),
    (limited("max-append-size=60") + [.sent, .begin, .answer(204, offset("61"))], .failure),
    (limited("max-append-size=60") + [.sent, .answer(409, offset("61"))], .failure),
  ]

  @Test(arguments: careful.indices) func `a careful upload begins without content`(place: Int) throws {
    let (events, expected) = Self.careful[place]
    #expect(try Self.play(events, .draft(8), .careful) == expected)
  }

  static let limits: [([UploadEvent], UploadExpectation)] = [
    (limited("max-size=99"), .refusal),
    (limited("min-size=101"), .refusal),
    (limited("max-size=100, min-size=100"), .part(0, 100, isLast: true)),
    (limited("max-append-size=60"), .part(0, 60, isLast: false)),
    (limited("max-append-size=60") + [.sent, .answer(204)], .part(60, 100, isLast: true)),
    (limited("max-append-size=60") + [.sent, .answer(204, offset("55"))], .part(55, 100, isLast: true)),
    (limited("max-append-size=100"), .part(0, 100, isLast: true)),
    (limited("max-append-size=0"), .refusal),
    (limited("max-append-size=10, min-append-size=20"), .refusal),
    (limited("max-append-size=60, min-append-size=50") + [.sent, .answer(204)], .part(60, 100, isLast: true)),
    // Limits that change.
    (
      limited("max-append-size=60") + [.sent, .answer(204, fields(["Upload-Limit": "max-append-size=10"]))],
      .part(60, 70, isLast: false)
    ),
    (limited("max-append-size=60") + [.sent, .answer(204, fields(["Upload-Limit": "max-size=10"]))], .refusal),
    // A part that is complete too early.
    (limited("max-append-size=60") + [.sent, .answer(200, fields(["Upload-Complete": "?1"]))], .failure),
    // Parts without progress.
    (limited("max-append-size=60") + [UploadEvent](repeating: .answer(204, offset("0")), count: 3), .failure),
    // An upload that has expired is begun again.
    (limited("max-age=0") + [.begin], .empty),
    (limited("max-age=1") + [.begin], .query),
    // Smaller parts after 413, once.
    (limited("") + [.answer(413)], .query),
    (limited("") + [.answer(413), .answer(204, offset("0"))], .part(0, 50, isLast: false)),
    (
      limited("") + [.answer(413, fields(["Upload-Limit": "max-append-size=30"])), .answer(204, offset("0"))],
      .part(0, 30, isLast: false)
    ),
    (limited("min-append-size=70") + [.answer(413), .answer(204, offset("0"))], .part(0, 70, isLast: false)),
    (limited("") + [.answer(413), .answer(204, offset("0")), .answer(413)], .finish),
  ]

  @Test(arguments: limits.indices) func `the limits of the server are kept`(place: Int) throws {
    let (events, expected) = Self.limits[place]
    // `sent` stands for the whole content of a part; a script without it has none to send.
    let played = events.enumerated().flatMap { index, event -> [UploadEvent] in
      if case .answer(let status, _, _) = event, index > 0, (200..<300).contains(status) { return [.sent, event] }
      return [event]
    }
    #expect(try Self.play(played, .draft(8), .careful) == expected)
  }

  @Test func `a request that is too large is sent in parts if the server supports them`() throws {
    let limits = Self.fields(["Upload-Limit": "max-append-size=30"])
    #expect(try Self.play([.sent, .answer(413)]) == .finish)
    #expect(try Self.play([.sent, .answer(413, limits)]) == .empty)
    #expect(try Self.play([.sent, .answer(413, limits), .answer(201, Self.place)]) == .part(0, 30, isLast: false))
    #expect(try Self.play([.sent, .interim(Self.place), .answer(413)]) == .query)
  }

  @Test func `an interim response with a limit below the length ends the upload at once`() throws {
    var state = UploadState(
      .draft(8), creation: .optimistic, length: 100, restarts: true, target: try HTTPURL(Self.file))
    _ = state.begin(now: Self.now)
    var fields = Self.place
    fields[.uploadLimit] = "max-size=99"
    let head = HTTPResponse(status: .init(code: 104), headerFields: fields)
    #expect(state.receive(interim: head, now: Self.now)?.kind == .uploadSizeRefused)
    #expect(state.location?.string == "https://example.com/uploads/1")
  }

  @Test func `with the policy fail, an upload that the server has lost is an error`() throws {
    #expect(try Self.play(Self.interrupted + [.answer(404)], restarts: false) == .failure)
  }

  @Test func `a body of unknown length is sent in one append`() throws {
    let events = Self.interrupted + [.sent, .answer(204, Self.offset("40"))]
    #expect(try Self.play(events, length: nil) == .part(40, -1, isLast: true))
    #expect(try Self.play(Self.limited("max-append-size=60"), .draft(8), .careful, length: nil) == .refusal)
  }

  static let tus: [([UploadEvent], UploadExpectation)] = [
    ([], .empty),
    ([.answer(201, fields(["Location": "/uploads/1"]))], .part(0, 100, isLast: true)),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .sent, .answer(204, fields(["Upload-Offset": "100"]))], .finish
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .sent, .answer(204, fields(["Upload-Offset": "60"]))],
      .part(60, 100, isLast: true)
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .begin, .answer(200, fields(["Upload-Offset": "60"]))],
      .part(60, 100, isLast: true)
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .begin, .answer(200, fields(["Upload-Offset": "100"]))],
      .finish
    ),
    ([.answer(201, fields(["Location": "/uploads/1"])), .sent, .answer(460)], .query),
    (
      [.answer(201, fields(["Location": "/uploads/1", "Upload-Expires": "Thu, 01 Jan 1970 00:16:00 GMT"])), .begin],
      .empty
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1", "Upload-Expires": "Thu, 01 Jan 1970 00:17:00 GMT"])), .begin],
      .query
    ),
    ([.answer(201, fields(["Location": "/uploads/1", "Tus-Max-Size": "99"]))], .refusal),
    ([.answer(412, fields(["Tus-Version": "0.2.2"]))], .finish),
    ([.answer(201)], .failure),
  ]

  @Test(arguments: tus.indices) func `tus has its own rules for the end of an upload`(place: Int) throws {
    let (events, expected) = Self.tus[place]
    #expect(try Self.play(events, .tus) == expected)
  }
}
