import LupineSupport
import Testing

@Suite struct StructuredDictionaryTests {
  private typealias Value = StructuredDictionary.Value

  // RFC 9651 sections 3 and 4.2.
  @Test(
    arguments: [
      ("", [:]), ("  ", [:]), ("a", ["a": .boolean(true)]), ("a=?0", ["a": .boolean(false)]),
      ("a=1,  b=-2\t,\tc;x=1;y", ["a": .integer(1), "b": .integer(-2), "c": .boolean(true)]),
      ("a=1, a=2", ["a": .integer(2)]), ("*a.b-c_d*=999999999999999", ["*a.b-c_d*": .integer(999_999_999_999_999)]),
      (#"a="x\"\\ y""#, ["a": .string(#"x"\ y"#)]), ("a=token/x:y", ["a": .other("token/x:y")]),
      ("a=1.125;q=?1", ["a": .other("1.125")]), ("a=:aGk=:", ["a": .other("aGk=")]), ("a=@60", ["a": .other("@60")]),
      (#"a=%"f%c3%bc""#, ["a": .other("fü")]),
      (#"a=%"\x""#, ["a": .other(#"\x"#)]),
      (#"a=("x" 1;p=2   t);q"#, ["a": .list([.string("x"), .integer(1), .other("t")])]), ("a=( )", ["a": .list([])]),
      ("a=1 \t,\t b=?0", ["a": .integer(1), "b": .boolean(false)]),
      ("a, b;c=1", ["a": .boolean(true), "b": .boolean(true)]),
      (#"a=(1 2;x "y");z, b=()"#, ["a": .list([.integer(1), .integer(2), .string("y")]), "b": .list([])]),
      (#"a=%"u", b=*"#, ["a": .other("u"), "b": .other("*")]),
    ] as [(String, [String: StructuredDictionary.Value])])
  func `a dictionary is read`(text: String, members: [String: StructuredDictionary.Value]) throws {
    #expect(try #require(StructuredDictionary(text)).members == members)
  }

  @Test(arguments: [
    "A=1", "1=a", "a=", "a=1,", "a=1,,b", ",", "a b", "a=1 b", "a=1;", "a=1; ;x", "a=1;X", "a=?2", "a=?", "a=\"x",
    "a=\"x\\y\"", "a=\"\u{7F}\"", "a=\"ä\"", "a=-", "a=1.", "a=1.1234", "a=1234567890123.1", "a=1234567890123456",
    "a=:?:", "a=:aGk=", "a=(1", "a=(1,2)", "a=(1)b", "a=(\"x\"\"y\")", "a=@1.5", "a=%x", "a=%\"%zz\"", "a=%\"%C3%BC\"",
    "a=%\"%c3\"", "a=%\"ü\"", "a=%\"x", "\ta", ",a=1", "a=1;;",
    "=1", "a=1\u{0}", #"a="\x""#, #"a="x\""#, "a=:x", "a=:AQ==", "a=(\t1)", "ä",
  ])
  func `a text that violates the grammar is no dictionary`(text: String) {
    #expect(StructuredDictionary(text) == nil)
  }

  @Test func `no prefix of a dictionary traps`() {
    let text = #"a="x\"", b=tok, c=:AQ==:, d=@12, e=1.5, f=(1 "2" ?1);g=1, h;i=-5, j=%"f%c3%bc""#
    for count in 0...text.count { _ = StructuredDictionary(String(text.prefix(count))) }
    #expect(StructuredDictionary(text)?.members.count == 8)
  }
}
