// Owns the vendor of the crash tests: each request says what its answer shall report, so that its price is known beforehand.

/** What a call asks of the vendor; it travels as the request's text. */
export interface Wish {
  tag: string
  prompt_tokens: number
  cached_tokens: number
  output_tokens: number
  thinking_tokens: number
  /** The vendor refuses with 500 instead of answering. */
  fails: boolean
}

export const PRICE_TOML = '{ input = 0.30, output = 2.50, cache_read = 0.03 }'

/** By the catalogue's price above, in nano-dollars a token: 300, 2,500 and 30. */
export const costOf = ({ prompt_tokens, cached_tokens, output_tokens, thinking_tokens }: Wish): number =>
  (prompt_tokens - cached_tokens) * 300 + cached_tokens * 30 + (output_tokens + thinking_tokens) * 2_500

export interface Vendor {
  url: string
  /** The tags of all requests that arrived. */
  seen: Set<string>
  stop(): Promise<void>
}

/** Starts the vendor on a port of its own. */
export function startProvider(): Vendor {
  const seen = new Set<string>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as { contents: { parts: { text: string }[] }[] }
      const wish = JSON.parse(body.contents[0]?.parts[0]?.text ?? '') as Wish
      seen.add(wish.tag)
      if (wish.fails) return Response.json({ error: { code: 500, message: 'broken' } }, { status: 500 })
      if (request.url.includes(':streamGenerateContent')) return streamed(wish)
      return Response.json(answerOf(wish))
    },
  })
  return { url: server.url.origin, seen, stop: () => server.stop(true) }
}

function streamed(wish: Wish): Response {
  const encode = (event: unknown) => Buffer.from(`data: ${JSON.stringify(event)}\r\n\r\n`)
  async function* events() {
    yield encode({ candidates: [{ content: { role: 'model', parts: [{ text: wish.tag }] } }] })
    await Bun.sleep(1)
    yield encode({ candidates: [{ content: { role: 'model', parts: [{ text: ' and more' }] } }] })
    await Bun.sleep(1)
    yield encode(answerOf(wish))
  }
  return new Response(events(), { headers: { 'content-type': 'text/event-stream' } })
}

const answerOf = (wish: Wish) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: wish.tag }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: {
    promptTokenCount: wish.prompt_tokens,
    cachedContentTokenCount: wish.cached_tokens,
    candidatesTokenCount: wish.output_tokens,
    thoughtsTokenCount: wish.thinking_tokens,
  },
})
