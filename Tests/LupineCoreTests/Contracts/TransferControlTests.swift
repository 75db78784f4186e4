import Testing

@testable import LupineCore

@Suite struct TransferControlTests {
  @Test func `of several branches the chosen one tells its parent who answered`() {
    let parent = TransferControl()
    let (first, second) = (parent.branch(), parent.branch())
    first.answers(.proxy)
    #expect(parent.source == .origin)
    second.choose()
    #expect(parent.source == .origin)
    first.choose()
    #expect(parent.source == .proxy)
  }
}
