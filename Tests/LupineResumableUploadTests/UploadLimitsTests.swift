import HTTPTypes
import LupineCore
import Testing

@testable import LupineResumableUpload

/// The limits that a server states.
@Suite struct UploadLimitsTests {
  private static func limits(_ field: String?, _ dialect: UploadDialect = .draft(8)) -> UploadLimits? {
    var head = HTTPResponse(status: .noContent)
    head.headerFields[.uploadLimit] = field
    return UploadLimits(head, dialect)
  }

  @Test func `all limits are read, and unknown ones are ignored`() throws {
    let limits = try #require(
      Self.limits("max-size=5, min-size=1, max-append-size=3, min-append-size=2, max-age=60, colour=\"red\""))
    #expect(limits.maximumSize == 5)
    #expect(limits.minimumSize == 1)
    #expect(limits.maximumAppendSize == 3)
    #expect(limits.minimumAppendSize == 2)
    #expect(limits.maximumAge == 60)
  }

  @Test func `version 6 of the draft calls the lifetime expires`() {
    #expect(Self.limits("expires=60", .draft(6))?.maximumAge == 60)
    #expect(Self.limits("expires=60", .draft(8))?.maximumAge == nil)
  }

  @Test(arguments: ["max-size=\"5\"", "max-size=5.5", "max-size=-1", "max-size", "max-size=5,", "5", nil])
  func `a field with a member of another type is ignored as a whole`(field: String?) {
    #expect(Self.limits(field.map { "min-size=1, \($0)" }) == nil)
  }

  @Test func `a later response changes only the limits that it states`() throws {
    var limits = try #require(Self.limits("max-size=5, max-age=60"))
    limits.update(with: try #require(Self.limits("max-size=4")))
    #expect(limits.maximumSize == 4)
    #expect(limits.maximumAge == 60)
  }

  @Test(arguments: [(Int64(4), false), (5, true), (7, true), (8, false)])
  func `a length outside the limits is refused`(length: Int64, isAccepted: Bool) throws {
    let limits = try #require(Self.limits("max-size=7, min-size=5"))
    #expect((limits.refusal(ofLength: length) == nil) == isAccepted)
    #expect(isAccepted || limits.refusal(ofLength: length)?.kind == .uploadSizeRefused)
  }
}
