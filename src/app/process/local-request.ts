// A request to the gateway of this machine. `fetch` would send it to the proxy that HTTP_PROXY names, as it is set in many containers.
import type { IncomingMessage, RequestOptions } from 'node:http'

interface DirectAnswer {
  status: number | undefined
  text: string
}

/** @throws what the connection throws, and the reason of the signal */
export async function requestLocal(
  url: string,
  { body, ...options }: Pick<RequestOptions, 'method' | 'headers'> & { signal: AbortSignal; body?: string },
): Promise<DirectAnswer> {
  const { text: readText } = await import('node:stream/consumers')
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const answered = Promise.withResolvers<IncomingMessage>()
  // It is this machine's own gateway; whether callers trust its certificate is another check.
  request(url, { ...options, rejectUnauthorized: false }, answered.resolve)
    .on('error', answered.reject)
    .end(body)
  const answer = await answered.promise
  return { status: answer.statusCode, text: await readText(answer) }
}
