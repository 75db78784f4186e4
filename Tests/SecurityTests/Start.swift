import Testing

@Suite struct SecurityTestsPlaceholder { @Test func empty() {} }
