import LupineCore

/// The violations of HTTP in a response's head or trailers, or in the length of its body.
enum MalformedResponse: String, Violation {
  case bareLineFeed = "a line ends without a carriage return"
  case statusLine = "the status line is not valid"
  case status = "its status is not a number from 100 to 999"
  case version = "its HTTP version was not requested"
  case switchingProtocols = "it switches to a protocol that was not requested"
  case folded = "a field is folded over two lines"
  case fieldName = "a field's name is empty or contains a byte that is not allowed"
  case fieldValue = "a field's value contains CR or NUL, a control byte that no reader accepts"
  case controlByte = "a field's value contains a control byte"
  case framingValue = "Content-Length, Transfer-Encoding or Connection contains a control byte"
  case twoLengths = "its Content-Length values differ"
  case equalLengths = "its Content-Length is repeated"
  case badLength = "its Content-Length is not one decimal number"
  case lengthAndChunked = "it has both Content-Length and Transfer-Encoding"
  case transferCoding = "its Transfer-Encoding is not exactly chunked, or its version is not HTTP/1.1"
  case repeatedChunked = "its Transfer-Encoding names chunked more than once"
  case identity = "its Transfer-Encoding is identity, which RFC 7230 removed"
  case secondHead = "a second final head follows the first"

  var tolerance: ResponseTolerances? {
    switch self {
    case .bareLineFeed: .bareLineFeeds
    case .controlByte: .controlBytesInValues
    case .equalLengths: .equalContentLengths
    case .repeatedChunked: .repeatedChunkedCoding
    case .identity: .identityCoding
    default: nil
    }
  }
}
