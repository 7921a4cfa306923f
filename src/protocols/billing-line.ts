// The line that Claude Code puts before its system prompt for Anthropic's accounting, with a checksum that changes with every request.
// https://code.claude.com/docs/en/llm-gateway-protocol ("System prompt attribution block"); anthropics/claude-code issue 68900

const BEGINNING = 'x-anthropic-billing-header:'

/** A text of a system prompt without that line: no provider caches a prompt with first words that change. */
export function withoutBillingLine(text: string): string {
  if (!text.startsWith(BEGINNING)) return text
  const end = text.indexOf('\n')
  return end < 0 ? '' : text.slice(end + 1)
}
