import FoundationEssentials
import HTTPTypes
import LupineCore
import Testing

@testable import LupineResumableUpload

/// How an upload goes on, and what ends it.
@Suite struct UploadStateTests: UploadScript {
  static let normal: [([UploadEvent], UploadExpectation)] = [
    ([], .whole),
    ([.sent, .answer(200)], .finish),
    ([.sent, .answer(500)], .finish),
    ([.sent, .answer(404)], .finish),
    // Without a location, an attempt begins again.
    ([.sent, .begin], .whole),
    (interrupted, .query),
    (continued, .part(40, 100, isLast: true)),
    (continued + [.sent, .answer(201, offset("100", complete: "?1"))], .finish),
    (continued + [.sent, .answer(201)], .finish),
    // The upload was complete, and processing it failed.
    (continued + [.sent, .answer(400, offset("100", complete: "?1"))], .finish),
    (continued + [.sent, .answer(503)], .finish),
    // Only the response was lost.
    (interrupted + [.answer(204, offset("100", complete: "?1"))], .finish),
    // All bytes have arrived, but the upload is not complete.
    (interrupted + [.answer(204, offset("100"))], .part(100, 100, isLast: true)),
    (interrupted + [.answer(503)], .finish),
    // A server that obtains bytes in another way.
    (
      [.sent, .interim(place), .interim(fields(["Upload-Offset": "30", "Upload-Draft-Interop-Version": "8"])), .begin]
        + [.answer(204, offset("60"))], .part(60, 100, isLast: true)
    ),
    // The server has the upload, but not all of it, although everything was sent.
    ([.sent, .interim(place), .answer(201, offset("10"))], .query),
    (continued + [.sent, .answer(204, offset("60"))], .query),
    // Lost at the server.
    (interrupted + [.answer(404)], .whole),
    (interrupted + [.answer(410)], .whole),
    (continued + [.sent, .answer(404)], .whole),
    (interrupted + [.answer(404), .answer(200)], .finish),
    (interrupted + [.answer(404), .sent, .interim(place), .begin, .answer(404)], .whole),
    // Another exchange of the same request, after a challenge, creates another upload.
    (
      [
        .sent, .interim(place), .sent,
        .interim(fields(["Location": "/uploads/2", "Upload-Draft-Interop-Version": "8"])),
      ]
        + [.answer(200)], .finish
    ),
  ]

  @Test(arguments: normal.indices) func `an upload goes on from what the server has`(place: Int) throws {
    let (events, expected) = Self.normal[place]
    #expect(try Self.play(events) == expected)
  }

  static let hostile: [([UploadEvent], UploadExpectation)] = [
    // Offsets that are no numbers, are missing, fall or exceed the length.
    (interrupted + [.answer(204, offset("four"))], .failure),
    (interrupted + [.answer(204, offset("-1"))], .failure),
    (interrupted + [.answer(204, offset("40, 40"))], .failure),
    (interrupted + [.answer(204)], .failure),
    (interrupted + [.answer(204, offset("101"))], .failure),
    (interrupted + [.answer(204, offset("999999999999999"))], .failure),
    (continued + [.begin, .answer(204, offset("39"))], .failure),
    (continued + [.sent, .answer(409, offset("39"))], .failure),
    (continued + [.sent, .answer(409, problem: 101)], .failure),
    (
      continued + [
        .sent, .interim(fields(["Upload-Offset": "39", "Upload-Draft-Interop-Version": "8"])), .answer(200),
      ],
      .failure
    ),
    (
      continued + [
        .sent, .interim(fields(["Upload-Offset": "101", "Upload-Draft-Interop-Version": "8"])), .answer(200),
      ],
      .failure
    ),
    // Another length.
    (interrupted + [.answer(204, fields(["Upload-Offset": "1", "Upload-Length": "99"]))], .failure),
    // Completion that cannot be.
    ([.interim(place), .answer(200)], .failure),
    (interrupted + [.answer(204, offset("40", complete: "?1"))], .failure),
    (continued + [.answer(200, offset("100", complete: "?1"))], .failure),
    (continued + [.answer(200)], .failure),
    // Conflicts without progress.
    (continued + [.answer(409, offset("40")), .answer(409, offset("40")), .answer(409, offset("40"))], .failure),
    (
      continued + [.answer(409), .answer(204, offset("40")), .answer(409), .answer(204, offset("40")), .answer(409)],
      .failure
    ),
    // A server that loses the upload twice in one attempt.
    (interrupted + [.answer(404), .sent, .interim(place), .answer(200, offset("0")), .answer(404)], .failure),
    // Two locations.
    (
      [.sent, .interim(place), .interim(fields(["Location": "/uploads/2", "Upload-Draft-Interop-Version": "8"]))]
        + [.answer(200)], .failure
    ),
    // Redirects that the session has not followed.
    (interrupted + [.answer(302)], .failure),
    (continued + [.sent, .answer(303)], .failure),
    // Not complete, and no location.
    ([.sent, .answer(200, fields(["Upload-Complete": "?0"]))], .failure),
  ]

  @Test(arguments: hostile.indices) func `an impossible statement of the server ends the upload`(place: Int) throws {
    let (events, expected) = Self.hostile[place]
    #expect(try Self.play(events) == expected)
  }

  /// A creation whose connection is lost after 30 bytes, in a new attempt.
  static let lostCreation: [UploadEvent] = [.exchange, .interim(place), .lost(30), .begin]

  static let jumps: [([UploadEvent], UploadExpectation)] = [
    (lostCreation + [.answer(204, offset("30"))], .part(30, 100, isLast: true)),
    (lostCreation + [.answer(204, offset("31"))], .failure),
    (lostCreation + [.answer(204, offset("90"))], .failure),
    (lostCreation + [.answer(204, offset("100", complete: "?1"))], .failure),
    // It is not known how much has been sent.
    ([.exchange, .interim(place), .begin, .answer(204, offset("90"))], .part(90, 100, isLast: true)),
    (
      [.sent, .interim(place), .answer(503), .begin, .answer(204, offset("40")), .exchange, .lost(10), .begin]
        + [.answer(204, offset("90"))], .part(90, 100, isLast: true)
    ),
    (
      lostCreation + [.answer(204, offset("20")), .exchange, .lost(5), .begin, .answer(204, offset("30"))],
      .part(30, 100, isLast: true)
    ),
    (lostCreation + [.answer(204, offset("30")), .exchange, .lost(5), .begin, .answer(204, offset("36"))], .failure),
    (lostCreation + [.answer(204, offset("30")), .exchange, .lost(0), .begin, .answer(204, offset("31"))], .failure),
    // A conflict while the append is sent.
    (lostCreation + [.answer(204, offset("30")), .exchange, .lost(10), .answer(409, offset("41"))], .failure),
    // An append that a redirect sends twice.
    (
      lostCreation + [.answer(204, offset("30")), .exchange, .lost(20), .exchange, .lost(0), .begin]
        + [.answer(204, offset("50"))], .part(50, 100, isLast: true)
    ),
    (
      lostCreation + [.answer(204, offset("30")), .exchange, .lost(20), .exchange, .lost(0), .begin]
        + [.answer(204, offset("51"))], .failure
    ),
    // Another upload begins, which has nothing yet.
    (
      lostCreation + [.answer(404), .exchange, .interim(place), .lost(10), .begin, .answer(204, offset("11"))],
      .failure
    ),
  ]

  @Test(arguments: jumps.indices)
  func `the server cannot have more than has been sent, so a jump ends the upload`(place: Int) throws {
    let (events, expected) = Self.jumps[place]
    #expect(try Self.play(events) == expected)
  }

  @Test func `an offset of an upload from another process may be anywhere`() throws {
    var state = UploadState(
      .draft(8), creation: .optimistic, length: 100, restarts: true, target: try HTTPURL(Self.file))
    state.location = try HTTPURL("https://example.com/uploads/1")
    state.restore(acknowledged: 30)
    _ = state.begin(now: Self.now)
    let head = HTTPResponse(status: .noContent, headerFields: Self.offset("90"))
    #expect(Self.expectation(state.receive(head, now: Self.now)) == .part(90, 100, isLast: true))
  }

  static let ignored: [UploadEvent] = [
    .interim(fields(["Location": "/uploads/1"])),
    .interim(fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "6"])),
    .interim(fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "8, 8"])),
    .interim(fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "eight"])),
    .interim(place, status: 103),
    .interim(place, status: 100),
    .interim(fields(["Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "/files", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "#x", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "http://example.com/uploads/1", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "ftp://example.com/uploads/1", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "https://exa mple/", "Upload-Draft-Interop-Version": "8"])),
  ]

  @Test(arguments: ignored.indices)
  func `an interim response without a usable location of the same version is ignored`(place: Int) throws {
    #expect(try Self.play([.sent, Self.ignored[place], .begin]) == .whole)
    #expect(try Self.play([.sent, Self.ignored[place], .answer(200)]) == .finish)
  }

  @Test func `an endless series of interim responses changes nothing`() throws {
    let progress = UploadEvent.interim(Self.fields(["Upload-Offset": "7", "Upload-Draft-Interop-Version": "8"]))
    let events = [.sent, .interim(Self.place)] + [UploadEvent](repeating: progress, count: 10_000)
    #expect(try Self.play(events + [.answer(200)]) == .finish)
  }

  @Test func `the final form has no version, and ignores the interim response of a draft`() throws {
    let place = UploadEvent.interim(Self.fields(["Location": "/uploads/1"]))
    #expect(try Self.play([.sent, place, .begin], .final) == .query)
    #expect(try Self.play([.sent, .interim(Self.place), .begin], .final) == .whole)
  }
}
