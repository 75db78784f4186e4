import Testing

@Suite struct LupineCoreTestsPlaceholder { @Test func empty() {} }
