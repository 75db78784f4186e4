import Testing

@Suite struct LupineMockTestsPlaceholder { @Test func empty() {} }
