import Testing

/// The listed cases of the grammar, without the bytes that other tests generate in loops.
@Suite struct CaseCountTests {
  private static let lists: [[ResponseCase]] = [
    MessageTests.cases, StatusLineTests.cases, FieldTests.cases, BodyTests.codings, BodyTests.lengths,
    BodyTests.framings, BodyRuleTests.bodiless, BodyRuleTests.bodies, ChunkTests.sizes, ChunkTests.extensions,
    ChunkTests.trailers, IncompleteTests.incomplete, IncompleteTests.limits, PersistenceTests.versions,
    PersistenceTests.options, PersistenceTests.lookalikes, SurplusTests.cases,
  ]

  /// Cases are equal if their bytes, methods and limits are.
  @Test func `at least 500 listed cases differ`() {
    let cases = Array(Self.lists.joined())
    let distinct = Set(cases.map { "\($0.method) \($0.limits) \($0.bytes)" })
    #expect(distinct.count >= 500, "\(distinct.count) of \(cases.count)")
  }

  @Test func `each case begins with the number of a section`() {
    for test in Self.lists.joined() { #expect(test.rule.first?.isNumber == true, "\(test.rule)") }
  }

  /// Section 3 is about requests.
  @Test(arguments: [2, 4, 5, 6, 7, 8, 9])
  func `each section about responses has at least 20 cases`(section: Int) {
    let count = Self.lists.joined().count { $0.rule.hasPrefix("\(section)") && !$0.rule.hasPrefix("9110 ") }
    #expect(count >= 20)
  }
}
