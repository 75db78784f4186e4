/// The reason why a text is not a valid URL, with its message.
///
/// The message quotes only a scheme, because any other part may belong to a password.
enum URLFault: Error {
  case tooLong(limit: Int)
  case outerSpace
  case control(at: Int)
  case backslash(at: Int)
  case badPercent(at: Int)
  case noScheme
  case scheme(String?)
  case noSlashes(at: Int)
  case userinfo(at: Int)
  case emptyHost(at: Int)
  case hostSpace(at: Int)
  case hostPercent(at: Int)
  case hostNotASCII(at: Int)
  case hostName(at: Int, String)
  case hostByte(at: Int)
  case emptyLabel(at: Int)
  case longLabel(at: Int)
  case longHost(at: Int)
  case ipv4(at: Int)
  case ipv6(at: Int)
  case zone(at: Int)
  case openBracket(at: Int)
  case port(at: Int)
  case pathWithoutSlash
  case delimiter(String, in: String, encoded: String)
  case networkPath
  case climbs
  case baseWithQuery
  case noBase
  case components

  var error: LupineError { LupineError(.invalidURL, message) }
}

extension URLFault {
  /// The problem, its position, and advice.
  var message: String {
    switch self {
    case .userinfo, .emptyHost, .hostSpace, .hostPercent, .hostNotASCII, .hostName, .hostByte, .emptyLabel, .longLabel,
      .longHost:
      hostMessage
    case .ipv4, .ipv6, .zone, .openBracket, .port:
      addressMessage
    case .pathWithoutSlash, .delimiter, .networkPath, .climbs, .baseWithQuery, .noBase, .components:
      partMessage
    default:
      textMessage
    }
  }

  private var textMessage: String {
    switch self {
    case .tooLong(let limit): "The URL is longer than \(limit) bytes; send long values in the request's body."
    case .outerSpace: "The URL begins or ends with a space; trim it."
    case .control(let index): "The URL has a control byte at byte \(index); remove it, or write it percent-encoded."
    case .backslash(let index):
      "The URL has a backslash at byte \(index); write “/”, or “%5C” if it belongs to a value."
    case .badPercent(let index):
      "The “%” at byte \(index) of the URL is not followed by two hexadecimal digits; write “%25” for a percent sign."
    case .noSlashes(let index): "The URL needs “//” and a host after its scheme, at byte \(index)."
    case .scheme(let name?):
      "The URL's scheme “\(name)” is neither http nor https; if that is a host or a path, write “https://” or “./” before it."
    case .scheme(nil):
      "The text before the URL's first colon is neither http nor https; write “https://” before a host."
    default: "The URL has no scheme; begin it with “https://” or “http://”."
    }
  }

  private var hostMessage: String {
    switch self {
    case .userinfo(let index):
      "The URL has a user name or password before the “@” at byte \(index) (RFC 9110 section 4.2.4); remove it and use authenticate(username:password:)."
    case .hostSpace(let index): "The URL has a space in its host, at byte \(index); remove it."
    case .hostPercent(let index):
      "The URL's host is percent-encoded at byte \(index); write the host's name in plain ASCII."
    case .hostNotASCII(let index):
      "The URL's host is not ASCII at byte \(index); call HostNames.use(.idna) of the module LupineIDN when the program starts, or write the name's ASCII form, whose labels begin with “xn--”."
    case .hostName(let index, let reason): "The URL's host, at byte \(index), is not a valid name: \(reason)."
    case .hostByte(let index):
      "The URL's host has a byte that no name may have, at byte \(index); letters, digits, “-”, “_” and “.” are allowed."
    case .emptyLabel(let index): "The URL's host has an empty label at byte \(index); remove the extra dot."
    case .longLabel(let index): "The URL's host has a label longer than 63 bytes at byte \(index); check the name."
    case .longHost(let index): "The URL's host, at byte \(index), is longer than 253 bytes; check the name."
    case .emptyHost(let index): "The URL has no host at byte \(index); write one after “//”."
    default: ""
    }
  }

  private var addressMessage: String {
    switch self {
    case .ipv4(let index):
      "The URL's host, at byte \(index), ends in a number but is not an IPv4 address; write four decimals from 0 to 255 without leading zeros."
    case .ipv6(let index): "The brackets at byte \(index) of the URL do not contain an IPv6 address; check the address."
    case .zone(let index):
      "The IPv6 address in the URL has a zone id at byte \(index) that cannot be used; write “%25” and the name of an interface after a link-local address, or remove it."
    case .openBracket(let index): "The “[” at byte \(index) of the URL has no “]” that ends the host; add it."
    case .port(let index):
      "The URL's port, at byte \(index), is not a number from 1 to 65535; correct it or remove it."
    default: ""
    }
  }

  private var partMessage: String {
    switch self {
    case .pathWithoutSlash: "The path does not begin with “/”; add it."
    case .delimiter(let text, let part, let encoded):
      "The \(part) contains “\(text)”, which would end it; write “\(encoded)”."
    case .networkPath:
      "The reference begins with “//”, which names another host; write the whole URL, or a single “/”."
    case .climbs: "The reference leads above the base URL with “..”; write the whole URL if that is intended."
    case .baseWithQuery:
      "The base URL has a query or a fragment, so nothing can be appended to it; set a base URL without them."
    case .noBase:
      "The URL is relative and no base URL is set; write the whole URL, or set a base URL for the session."
    case .components: "The URL components do not form a URL; check that the host and the path fit together."
    default: ""
    }
  }
}
