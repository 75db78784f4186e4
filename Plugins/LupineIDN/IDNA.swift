import CIDN2
public import LupineCore

/// Converts host names by IDNA 2008 (RFC 5891) with the mapping of UTS 46, non-transitional and strict, through libidn2.
///
/// Upper case, full-width letters and the ideographic full stop are mapped, so that `MÜLLER。example` is
/// `xn--mller-kva.example`. `straße.example` stays a name of its own, unlike in IDNA 2003. A name has no ASCII form if it
/// has a character that IDNA does not allow, an ASCII character that no host name may have, or a label of more than 63
/// bytes.
///
///     HostNames.use(.idna)
public struct IDNA: HostNameConverter {
  /// Creates a converter.
  public init() {}

  /// Returns the ASCII form of a name.
  ///
  /// - Throws: `HostNameFault` with the reason of libidn2.
  public func asciiName(of name: String) throws(HostNameFault) -> String {
    guard !name.utf8.contains(0) else { throw HostNameFault("it has a null character") }
    var output: UnsafeMutablePointer<CChar>?
    let code = idn2_to_ascii_8z(name, &output, Int32(IDN2_NONTRANSITIONAL.rawValue))
    defer { idn2_free(output) }
    guard code == IDN2_OK.rawValue, let output else { throw HostNameFault(String(cString: idn2_strerror(code))) }
    let ascii = String(cString: output)
    // With IDN2_USE_STD3_ASCII_RULES, libidn2 2.3.3 removes such characters: the name of another host would be left.
    guard ascii.utf8.allSatisfy(Self.isAllowed) else {
      throw HostNameFault("it has an ASCII character other than letters, digits and hyphens")
    }
    return ascii
  }

  /// Whether a byte may stand in a host name in ASCII (RFC 952, STD 3).
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x2E: true
    default: false
    }
  }

  /// Returns the form of a name that people read.
  ///
  /// A label is in Unicode if all its letters belong to one script, if it does not only consist of letters that look
  /// Latin, and if it converts back to the same ASCII label. Any other label keeps its ASCII form.
  ///
  /// Latin letters with marks are shown, also where a reader may take them for letters without: `pạypal` and `paypał` are
  /// in Unicode.
  public func displayName(of name: String) -> String {
    name.split(separator: ".", omittingEmptySubsequences: false).map { displayLabel(String($0)) }.joined(separator: ".")
  }

  private func displayLabel(_ label: String) -> String {
    guard label.hasPrefix("xn--") else { return label }
    var output: UnsafeMutablePointer<CChar>?
    let code = idn2_to_unicode_8z8z(label, &output, 0)
    defer { idn2_free(output) }
    guard code == IDN2_OK.rawValue, let output else { return label }
    let unicode = String(cString: output)
    guard LabelScript.isUnmistakable(unicode), (try? asciiName(of: unicode)) == label else { return label }
    return unicode
  }
}

extension HostNameConverter where Self == IDNA {
  /// IDNA 2008 with the mapping of UTS 46; see `IDNA`.
  public static var idna: IDNA { IDNA() }
}
