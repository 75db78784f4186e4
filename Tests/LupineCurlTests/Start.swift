import Testing

@Suite struct LupineCurlTestsPlaceholder { @Test func empty() {} }
