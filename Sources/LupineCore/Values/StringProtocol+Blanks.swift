extension StringProtocol {
  /// The text without spaces and tabs at its ends (RFC 9110 section 5.6.3).
  package func trimmingBlanks() -> SubSequence {
    var text = self[startIndex..<endIndex]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}
