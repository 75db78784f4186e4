/// Why a text is no URL template.
struct TemplateFault: Error {
  let message: String
}
