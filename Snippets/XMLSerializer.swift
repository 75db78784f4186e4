// A custom serializer: XML, with Foundation's parser.

import Foundation
import FoundationXML
import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
let feed = "<rss><channel><title>Flowers</title><item><title>Lupine &amp; co.</title></item></channel></rss>"
mock.stub(.get, "https://example.com/feed", .data(Data(feed.utf8), contentType: "application/rss+xml"))
mock.stub(.get, "https://example.com/broken", .data(Data("<rss><channel>".utf8), contentType: "application/xml"))
let session = try Session.Builder().transport(mock).build()
// snippet.show

/// Parses an XML document into a tree of elements.
struct XMLResponseSerializer: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> XMLElementTree {
    let builder = XMLTreeBuilder()
    let parser = XMLParser(data: response.data)
    parser.delegate = builder
    guard parser.parse(), let root = builder.root else {
      throw LupineError(
        .serializationFailed, "The response is no XML: it breaks off or is wrong in line \(parser.lineNumber).",
        underlying: parser.parserError)
    }
    return root
  }
}

/// Makes the serializer available as `.xml`.
extension ResponseSerializer where Self == XMLResponseSerializer {
  static var xml: Self { Self() }
}

struct XMLElementTree: Sendable {
  var name: String
  var text = ""
  var children: [XMLElementTree] = []

  subscript(name: String) -> XMLElementTree? { children.first { $0.name == name } }
}

final class XMLTreeBuilder: NSObject, XMLParserDelegate {
  private var open: [XMLElementTree] = []
  private(set) var root: XMLElementTree?

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    // Limits the depth of elements, because deep trees would overflow the stack.
    if open.count == 512 { return parser.abortParsing() }
    open.append(XMLElementTree(name: name))
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if let last = open.indices.last { open[last].text += text }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard let element = open.popLast() else { return }
    if let last = open.indices.last { open[last].children.append(element) } else { root = element }
  }
}

let document = try await session.request("https://example.com/feed")
  .validate(contentType: ["application/rss+xml"])
  .serializingResponse(using: .xml).value
print(document["channel"]?["item"]?["title"]?.text ?? "no title")
// snippet.hide
let broken = await session.request("https://example.com/broken").serializingResponse(using: .xml).response
print(broken.error?.message ?? "the broken document was read")
try mock.verify()
