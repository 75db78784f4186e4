import Testing

@testable import LupineSupport

@Suite struct StructuredDictionaryTests {
  private static func item(_ value: StructuredValue, _ parameters: KeyValuePairs<String, StructuredValue> = [:])
    -> StructuredItem
  {
    StructuredItem(value, parameters.map { StructuredParameter(name: $0.key, value: $0.value) })
  }

  // RFC 9651 sections 3 and 4.2.
  @Test(
    arguments: [
      ("", [:]), ("  ", [:]), ("a", ["a": .boolean(true)]), ("a=?0", ["a": .boolean(false)]),
      ("a=1,  b=-2\t,\tc;x=1;y", ["a": .integer(1), "b": .integer(-2), "c": .boolean(true)]),
      ("a=1, a=2", ["a": .integer(2)]), ("*a.b-c_d*=999999999999999", ["*a.b-c_d*": .integer(999_999_999_999_999)]),
      (#"a="x\"\\ y""#, ["a": .string(#"x"\ y"#)]), ("a=token/x:y", ["a": .token("token/x:y")]),
      ("a=1.125;q=?1", ["a": .decimal(thousandths: 1_125)]), ("a=:aGk=:", ["a": .bytes([0x68, 0x69])]),
      ("a=:aGk:", ["a": .bytes([0x68, 0x69])]), ("a=@60", ["a": .date(60)]),
      (#"a=%"f%c3%bc""#, ["a": .displayString("fü")]),
      (#"a=%"\x""#, ["a": .displayString(#"\x"#)]),
      (
        #"a=("x" 1;p=2   t);q"#,
        ["a": .list([item(.string("x")), item(.integer(1), ["p": .integer(2)]), item(.token("t"))])]
      ), ("a=( )", ["a": .list([])]),
      ("a=1 \t,\t b=?0", ["a": .integer(1), "b": .boolean(false)]),
      ("a, b;c=1", ["a": .boolean(true), "b": .boolean(true)]),
      (
        #"a=(1 2;x "y");z, b=()"#,
        [
          "a": .list([item(.integer(1)), item(.integer(2), ["x": .boolean(true)]), item(.string("y"))]), "b": .list([]),
        ]
      ),
      (#"a=%"u", b=*"#, ["a": .displayString("u"), "b": .token("*")]),
    ] as [(String, [String: StructuredValue])])
  func `a dictionary is read`(text: String, members: [String: StructuredValue]) throws {
    #expect(try #require(StructuredDictionary(text)).members == members)
  }

  @Test(arguments: [
    "A=1", "1=a", "a=", "a=1,", "a=1,,b", ",", "a b", "a=1 b", "a=1;", "a=1; ;x", "a=1;X", "a=?2", "a=?", "a=\"x",
    "a=\"x\\y\"", "a=\"\u{7F}\"", "a=\"ä\"", "a=-", "a=1.", "a=1.1234", "a=1234567890123.1", "a=1234567890123456",
    "a=:?:", "a=:a:", "a=:aGk=", "a=(1", "a=(1,2)", "a=(1)b", "a=(\"x\"\"y\")", "a=@1.5", "a=%x", "a=%\"%zz\"",
    "a=%\"%C3%BC\"",
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
