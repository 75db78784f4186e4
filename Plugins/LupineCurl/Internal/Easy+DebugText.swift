import CLibcurl

/// Reads libcurl's debug output.
///
/// The relevant parts are the lines that `VerboseText` parses, and the content of a challenge that libcurl answers
/// itself.
extension Easy {
  /// Processes the data that libcurl passes to its debug function.
  func receive(debug bytes: UnsafeRawBufferPointer, _ kind: curl_infotype) {
    switch kind {
    case CURLINFO_TEXT:
      guard let text = VerboseText(bytes) else { return }
      if text == .surplus { forbidReuse() }
      exchange?.hear(text)
    case CURLINFO_DATA_IN: exchange?.rare?.heldContent?.take(bytes)
    default: break
    }
  }
}
