import Foundation
import LupineCore
import LupineCoding
import Testing

@Suite struct URLEncodedFormEncoderTests {
  private static func data(_ encoding: URLEncodedFormEncoder.DataEncoding) -> URLEncodedFormEncoder {
    URLEncodedFormEncoder(dataEncoding: encoding)
  }

  @Test(
    arguments: [
      (["foo": "bar"], "foo=bar"),
      (["foo": ["a", 1, true]], "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1"),
      (["foo": ["bar": ["baz": 1]]], "foo%5Bbar%5D%5Bbaz%5D=1"),
      (["a": [["b": 1], ["b": 2]]], "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bb%5D=2"),
      (["a": [["z", "y"], ["x"]]], "a%5B%5D%5B%5D=z&a%5B%5D%5B%5D=y&a%5B%5D%5B%5D=x"),
      (["b": 1, "a": 2, "c": 3], "a=2&b=1&c=3"),
      (["a": [], "b": [:], "c": [[], [:]]], ""),
      (["a": nil, "b": [nil, 1]], "b%5B%5D=1"),
      (["a": "", "": "b"], "=b&a="),
      (["n": 1.5, "i": -7, "u": .unsignedInteger(.max), "e": 1e21], "e=1e%2B21&i=-7&n=1.5&u=18446744073709551615"),
      ([:], ""),
    ] as [(Parameters, String)])
  func `parameters become pairs`(parameters: Parameters, expected: String) throws {
    #expect(try URLEncodedFormEncoder().encode(parameters) == expected)
  }

  @Test(arguments: [
    (":#[]@!$&'()*+,;=", "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
    (" \"#%<>[]\\^`{}|", "%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
    ("?/-._~aZ09", "?/-._~aZ09"),
    ("%25", "%2525"),
    ("français", "fran%C3%A7ais"),
    ("日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"),
    ("😃", "%F0%9F%98%83"),
    ("\u{0}\r\n\u{7f}", "%00%0D%0A%7F"),
  ])
  func `names and values are escaped`(text: String, expected: String) throws {
    #expect(try URLEncodedFormEncoder().encode([text: text]) == "\(expected)=\(expected)")
  }

  @Test func `a structure keeps its order when nothing is alphabetized`() throws {
    struct Query: Encodable {
      let zeta = 1
      let alpha = [2, 3]
      let nested = ["k": "v"]
      let beta: Int? = nil
    }
    let encoder = URLEncodedFormEncoder(alphabetizeKeyValuePairs: false)
    #expect(try encoder.encode(Query()) == "zeta=1&alpha%5B%5D=2&alpha%5B%5D=3&nested%5Bk%5D=v")
    #expect(
      try URLEncodedFormEncoder().encode(Query()) == "alpha%5B%5D=2&alpha%5B%5D=3&nested%5Bk%5D=v&zeta=1")
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.ArrayEncoding.brackets, "a%5B%5D=x&a%5B%5D=y"),
    (.noBrackets, "a=x&a=y"),
    (.indexInBrackets, "a%5B0%5D=x&a%5B1%5D=y"),
    (.custom { "\($0)-\($1)" }, "a-0=x&a-1=y"),
  ])
  func `arrays are named as chosen`(encoding: URLEncodedFormEncoder.ArrayEncoding, expected: String) throws {
    #expect(try URLEncodedFormEncoder(arrayEncoding: encoding).encode(["a": ["x", "y"]]) == expected)
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.BoolEncoding.numeric, "f=0&t=1"), (.literal, "f=false&t=true"),
  ])
  func `booleans are written as chosen`(encoding: URLEncodedFormEncoder.BoolEncoding, expected: String) throws {
    #expect(try URLEncodedFormEncoder(boolEncoding: encoding).encode(["t": true, "f": false]) == expected)
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.DataEncoding.base64, "d=AP8%3D"),
    (.deferredToData, "d%5B%5D=0&d%5B%5D=255"),
    (.custom { "\($0.count)" }, "d=2"),
  ])
  func `bytes are written as chosen`(encoding: URLEncodedFormEncoder.DataEncoding, expected: String) throws {
    #expect(try URLEncodedFormEncoder(dataEncoding: encoding).encode(["d": Data([0, 255])]) == expected)
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.DateEncoding.deferredToDate, "d=123.456"),
    (.secondsSince1970, "d=978307323.456"),
    (.millisecondsSince1970, "d=978307323456.0"),
    (.iso8601, "d=2001-01-01T00%3A02%3A03Z"),
    (.formatted(Date.ISO8601FormatStyle().year().month().day()), "d=2001-01-01"),
    (.custom { "\($0.timeIntervalSinceReferenceDate)" }, "d=123.456"),
  ])
  func `dates are written as chosen`(encoding: URLEncodedFormEncoder.DateEncoding, expected: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: 123.456)
    #expect(try URLEncodedFormEncoder(dateEncoding: encoding).encode(["d": date]) == expected)
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.KeyEncoding.useDefaultKeys, "oneTwo%5BthreeURLFour%5D=v"),
    (.convertToSnakeCase, "one_two%5Bthree_url_four%5D=v"),
    (.convertToKebabCase, "one-two%5Bthree-url-four%5D=v"),
    (.capitalized, "OneTwo%5BThreeURLFour%5D=v"),
    (.uppercased, "ONETWO%5BTHREEURLFOUR%5D=v"),
    (.lowercased, "onetwo%5Bthreeurlfour%5D=v"),
    (.custom { "\($0.count)" }, "6%5B12%5D=v"),
  ])
  func `names are changed as chosen`(encoding: URLEncodedFormEncoder.KeyEncoding, expected: String) throws {
    #expect(try URLEncodedFormEncoder(keyEncoding: encoding).encode(["oneTwo": ["threeURLFour": "v"]]) == expected)
  }

  @Test(arguments: [
    ("URL", "url"), ("snake_Case", "snake_case"), ("_fooBar", "_foo_bar"), ("a", "a"), ("", ""), ("aB", "a_b"),
    ("v2Beta", "v2_beta"), ("éÉ", "é_é"),
  ])
  func `capital letters separate the words of a key`(key: String, expected: String) throws {
    let encoder = URLEncodedFormEncoder(
      keyEncoding: .convertToSnakeCase, allowedCharacters: .urlQueryAllowed)
    let escaped = try URLEncodedFormEncoder().encode([expected: ""])
    #expect(try encoder.encode([key: ""]) == escaped)
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.KeyPathEncoding.brackets, "a%5Bb%5D%5Bc%5D=1"), (.dots, "a.b.c=1"),
    (.custom { "-\($0)" }, "a-b-c=1"),
  ])
  func `paths are joined as chosen`(encoding: URLEncodedFormEncoder.KeyPathEncoding, expected: String) throws {
    #expect(try URLEncodedFormEncoder(keyPathEncoding: encoding).encode(["a": ["b": ["c": 1]]]) == expected)
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.NilEncoding.dropKey, "z=1"), (.dropValue, "i=&n=&s=&z=1"),
    (.null, "i=null&n=null&s=null&z=1"), (.custom { "none" }, "i=none&n=none&s=none&z=1"), (.custom { nil }, "z=1"),
  ])
  func `nil is written as chosen`(encoding: URLEncodedFormEncoder.NilEncoding, expected: String) throws {
    struct Query: Encodable {
      var i: Int?
      var s: String?
      var n: [String: Int]?
      var z: Int128? = 1
    }
    #expect(try URLEncodedFormEncoder(nilEncoding: encoding).encode(Query()) == expected)
    let dictionary: [String: Int?] = ["i": nil, "n": nil, "s": nil, "z": 1]
    #expect(try URLEncodedFormEncoder(nilEncoding: encoding).encode(dictionary) == expected)
    let parameters: Parameters = ["i": nil, "n": nil, "s": nil, "z": 1]
    #expect(try URLEncodedFormEncoder(nilEncoding: encoding).encode(parameters) == expected)
  }

  @Test(arguments: [
    (URLEncodedFormEncoder.SpaceEncoding.percentEscaped, "a%20b=c%20d%2B"), (.plusReplaced, "a+b=c+d%2B"),
  ])
  func `spaces are written as chosen`(encoding: URLEncodedFormEncoder.SpaceEncoding, expected: String) throws {
    #expect(try URLEncodedFormEncoder(spaceEncoding: encoding).encode(["a b": "c d+"]) == expected)
  }

  @Test func `the characters left alone can be chosen`() throws {
    let fewer = URLEncodedFormEncoder(allowedCharacters: .urlQueryAllowed.removing("?/"))
    #expect(try fewer.encode(["a": "?/"]) == "a=%3F%2F")
    let more = URLEncodedFormEncoder(allowedCharacters: .urlQueryAllowed.inserting("[]é"))
    #expect(try more.encode(["a": ["é"]]) == "a[]=%C3%A9")
  }

  @Test func `a failing option's error comes through`() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try URLEncodedFormEncoder(dataEncoding: .custom { _ in throw Refusal() }).encode(["d": Data()])
    }
    #expect(throws: Refusal.self) {
      try URLEncodedFormEncoder(dateEncoding: .custom { _ in throw Refusal() }).encode(["d": Date()])
    }
  }

  @Test func `decimals, URLs and wide integers are written as Swift prints them`() throws {
    struct Query: Encodable {
      let decimal = Decimal(string: "1.05")
      let url = URL(string: "https://example.com/a")
      let wide = Int128.max
      let list: [UInt128] = [.max]
      let float: Float = 0.1
      let small: UInt8 = 255
    }
    #expect(
      try URLEncodedFormEncoder().encode(Query())
        == "decimal=1.05&float=0.1&list%5B%5D=340282366920938463463374607431768211455&small=255"
        + "&url=https%3A//example.com/a&wide=170141183460469231731687303715884105727")
  }

  @Test func `a root that is no keyed container is an error`() {
    let encoder = URLEncodedFormEncoder()
    #expect(throws: LupineError.self) { try encoder.encode([1]) }
    #expect(throws: LupineError.self) { try encoder.encode("text") }
    #expect(throws: LupineError.self) { try encoder.encode(Date()) }
    let error = #expect(throws: LupineError.self) { try encoder.encode(JSONValue.array([1])) }
    #expect(error?.kind == .parameterEncodingFailed)
    #expect(error?.message.contains("an array") == true)
  }

  @Test func `a form is encoded as bytes by the same rules`() throws {
    let encoder = URLEncodedFormEncoder(arrayEncoding: .noBrackets, spaceEncoding: .plusReplaced)
    let parameters: Parameters = ["b": ["é", "x y"], "a": true]
    let form: Data = try encoder.encode(parameters)
    let text = try encoder.encode(parameters)
    #expect(form == Data("a=1&b=%C3%A9&b=x+y".utf8))
    #expect(Data(text.utf8) == form)
    #expect(throws: LupineError.self) { try encoder.encode([1]) as Data }
  }
}
