// The provider of the crash tests: each request contains the usage that its answer reports, so that its cost is known beforehand.

/** The answer that a call wants from the provider; sent as the text of the request. */
export interface Wish {
  tag: string
  prompt_tokens: number
  cached_tokens: number
  output_tokens: number
  thinking_tokens: number
  /** The provider answers with status 500. */
  fails: boolean
}

export const PRICE = 'input = 0.30, output = 2.50, cache_read = 0.03'

/** The cost by the price above. In nano-dollars a token: input 300, output 2,500, cache reads 30. */
export const costOf = ({ prompt_tokens, cached_tokens, output_tokens, thinking_tokens }: Wish): number =>
  (prompt_tokens - cached_tokens) * 300 + cached_tokens * 30 + (output_tokens + thinking_tokens) * 2_500

export interface Provider {
  url: string
  /** The tags of all requests that arrived. */
  seen: Set<string>
  stop(): Promise<void>
}

/** Starts the provider on a free port. */
export function startProvider(): Provider {
  const seen = new Set<string>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as { contents: { parts: { text: string }[] }[] }
      const wish = JSON.parse(body.contents[0]?.parts[0]?.text ?? '') as Wish
      seen.add(wish.tag)
      if (wish.fails) return Response.json({ error: { code: 500, message: 'broken' } }, { status: 500 })
      if (request.url.includes(':streamGenerateContent')) return streamAnswer(wish)
      return Response.json(answerOf(wish))
    },
  })
  return { url: server.url.origin, seen, stop: () => server.stop(true) }
}

function streamAnswer(wish: Wish): Response {
  const encode = (event: unknown) => Buffer.from(`data: ${JSON.stringify(event)}\r\n\r\n`)
  async function* events() {
    yield encode({ candidates: [{ content: { role: 'model', parts: [{ text: wish.tag }] } }] })
    await turn()
    yield encode({ candidates: [{ content: { role: 'model', parts: [{ text: ' and more' }] } }] })
    await turn()
    yield encode(answerOf(wish))
  }
  return new Response(events(), { headers: { 'content-type': 'text/event-stream' } })
}

/** A turn of the event loop, so that events are sent apart and a server may die between them. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const answerOf = (wish: Wish) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: wish.tag }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: {
    promptTokenCount: wish.prompt_tokens,
    cachedContentTokenCount: wish.cached_tokens,
    candidatesTokenCount: wish.output_tokens,
    thoughtsTokenCount: wish.thinking_tokens,
  },
})
