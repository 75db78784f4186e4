import Testing

@Suite struct LupineCompressionTestsPlaceholder { @Test func empty() {} }
