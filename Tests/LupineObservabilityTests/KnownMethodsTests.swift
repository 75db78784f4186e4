#if Observability
  import Testing

  @testable import LupineObservability

  @Suite struct KnownMethodsTests {
    @Test(arguments: [nil, "", " , "] as [String?])
    func `without a list they are the standard's`(list: String?) {
      #expect(KnownMethods.named(by: list).isSuperset(of: ["GET", "PATCH", "QUERY"]))
    }

    @Test func `a list replaces the known methods, with its capital letters`() {
      #expect(KnownMethods.named(by: "GET, BREW,propfind") == ["GET", "BREW", "propfind"])
    }
  }
#endif
