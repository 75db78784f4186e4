import HTTPTypes
import Testing

@testable import LupineCore

@Suite struct WebLinkTests {
  private func links(_ fields: String..., base: String = "https://example.com/a/b?c=d#e") throws -> [WebLink] {
    let name = try #require(HTTPField.Name("Link"))
    var headers = HTTPFields()
    for field in fields { headers.append(HTTPField(name: name, value: field)) }
    return WebLink.links(in: headers, relativeTo: try HTTPURL(base))
  }

  @Test func `several links are read from one field and from several`() throws {
    let found = try links(
      #"<https://api.example.com/x?page=2>; rel="next", <https://api.example.com/x?page=9>; rel="last""#,
      "</first>;rel=first")
    #expect(found.map(\.relations) == [["next"], ["last"], ["first"]])
    #expect(
      found.map { $0.url?.string } == [
        "https://api.example.com/x?page=2", "https://api.example.com/x?page=9", "https://example.com/first",
      ])
  }

  @Test(arguments: [
    ("c", "https://example.com/a/c"), ("/c", "https://example.com/c"), ("?p=2", "https://example.com/a/b?p=2"),
    ("//b.example.com/x", "https://b.example.com/x"), ("", "https://example.com/a/b?c=d"),
    ("#f", "https://example.com/a/b?c=d#f"), ("https://user:pass@b.example.com/", "https://b.example.com/"),
    ("mailto:a@b", nil), ("https://", nil), ("x,y;z", "https://example.com/a/x,y;z"),
  ])
  func `targets are resolved against the response`(target: String, expected: String?) throws {
    let found = try links("<\(target)>; rel=next")
    #expect(found.map(\.reference) == [target])
    #expect(found.first?.url?.string == expected)
  }

  @Test func `a link has several relations in any case`() throws {
    let link = try #require(try links(#"<x>; REL="Next  https://Example.com/Own""#).first)
    #expect(link.relations == ["next", "https://example.com/own"])
    #expect(link.has(relation: "NEXT"))
    #expect(!link.has(relation: "prev"))
  }

  @Test func `the first relation parameter counts`() throws {
    #expect(try links("<x>; rel=next; rel=prev").first?.relations == ["next"])
  }

  @Test func `quoted strings have commas, semicolons and escapes`() throws {
    let found = try links(#"<x>; title="a, \"b\"; <y>; rel=z"; rel=next; flag , <z>; rel=prev"#)
    #expect(found.map(\.relations) == [["next"], ["prev"]])
    #expect(found.first?.title == #"a, "b"; <y>; rel=z"#)
    #expect(found.first?[parameter: "Flag"] == "")
    #expect(found.first?[parameter: "none"] == nil)
  }

  @Test(arguments: [
    (#"title="a"; title*=UTF-8'de'%C3%BC%20x"#, "ü x"), (#"title*=utf-8''b; title="a""#, "b"),
    (#"title="a"; title*=ISO-8859-1''%FC"#, "a"), (#"title="a"; title*=UTF-8''%ZZ"#, "a"),
    (#"title="a"; title*=UTF-8''%FF"#, "a"), (#"title="a"; title*=b"#, "a"),
  ])
  func `an extended title counts if it is valid`(parameters: String, expected: String) throws {
    #expect(try links("<x>; rel=next; \(parameters)").first?.title == expected)
  }

  @Test func `an anchor is the context`() throws {
    let found = try links(##"<x>; rel=next; anchor="#top", <y>; rel=next; type="text/html"; hreflang=de"##)
    #expect(found.first?.anchor == "#top")
    #expect(found.first?.context?.string == "https://example.com/a/b?c=d#top")
    #expect(found.last?.anchor == nil)
    #expect(found.last?.context?.string == "https://example.com/a/b?c=d")
    #expect(found.last?.type == "text/html")
    #expect(found.last?.language == "de")
  }

  @Test(arguments: [
    "x; rel=next", "<x> rel=next", "<x>; rel", "<x>; rel=", #"<x>; rel="""#, "<x>", "<x>; title=a",
    "<x>; =a; rel=next", #"<x>; rel="next" a"#, "<x>>; rel=next", ";", ",",
    "\"", ">",
  ])
  func `a malformed link is skipped`(text: String) throws {
    #expect(try links(text).isEmpty)
    // A string that does not end takes the rest of the field.
    let isOpen = text == "\""
    #expect(try links(text + ", <y>; rel=prev").map(\.reference) == (isOpen ? [] : ["y"]))
  }

  @Test(arguments: [#"<x>; rel="next"#, #"<x>; rel="next\"#, #"<x>; rel=next; title="a, <y>; rel=prev"#])
  func `a quoted value without a closing quote ends with the field`(text: String) throws {
    #expect(try links(text).map(\.relations) == [["next"]])
    #expect(try links(text + ", <z>; rel=prev").map(\.reference) == ["x"])
  }

  @Test(arguments: ["<x; rel=next", "<", "<x; rel=next, "]) func `a target without an end ends the field`(
    text: String
  ) throws {
    #expect(try links(text).isEmpty)
  }

  @Test(arguments: ["x y", "ü", "<x", "x\"y", "x,y;z"]) func `a target ends at its bracket`(target: String) throws {
    let found = try links("<\(target)>; rel=next, <y>; rel=prev")
    #expect(found.map(\.reference) == [target, "y"])
  }

  @Test(arguments: [
    ("type=text/html", "type", "text/html"), ("title=Füße ", "title", "Füße"), ("title=a b\t", "title", "a b"),
    ("anchor=https://example.com/a?b=c", "anchor", "https://example.com/a?b=c"), ("title=a\"b", "title", "a\"b"),
    ("title=", "title", ""),
  ])
  func `an unquoted value ends at a semicolon or a comma`(text: String, name: String, value: String) throws {
    for field in ["<x>; \(text); rel=next, <y>; rel=prev", "<x>; rel=next; \(text), <y>; rel=prev"] {
      let found = try links(field)
      #expect(found.map(\.relations) == [["next"], ["prev"]])
      #expect(found.first?[parameter: name] == value)
    }
  }

  @Test func `empty elements and parameters are allowed`() throws {
    #expect(try links(" , ,<x> ; ; rel=next ; , ,").map(\.relations) == [["next"]])
  }

  @Test(arguments: [
    "<", ";", ",", "\"", "\\", ">", "=", " ", "a", "<>", "<>;", "<a>;rel=next,", "<a>;a=\"", "<a>;\"", "\",", "<,",
    "<a>; rel=\"", "\\\"",
  ])
  func `hostile fields are read in linear steps`(unit: String) {
    let text = String(repeating: unit, count: (16 << 10) / unit.utf8.count)
    for text in [text, "<a>; rel=\"" + text, "<a>; rel=next" + text, "<a>;" + text] {
      var parser = LinkParser(text)
      _ = parser.links()
      #expect(parser.steps > 0)
      #expect(parser.steps <= 16 * text.utf8.count)
    }
  }

  @Test(arguments: ["<", ";", ",", "\""]) func `a megabyte of one delimiter is read in linear steps`(unit: String) {
    let text = "<a>; rel=next" + String(repeating: unit, count: 1 << 20)
    var parser = LinkParser(text)
    _ = parser.links()
    #expect((1...8 * text.utf8.count).contains(parser.steps))
  }
}
