// Calls for the tests of metrics and spans: one of each outcome, on several surfaces.
import { answer, answering, ask, piece, streamPath, usage, wholePath } from '../support/native.ts'
import type { Scene } from '../support/scene.ts'
import { events, heldBack, refusal, stream, whole } from '../support/upstream.ts'

/** Makes them one after the other, and waits until all are settled. */
export async function makeCalls({ call, upstream, gateway }: Scene): Promise<void> {
  upstream.answer(answering)
  for (const path of [wholePath(), wholePath(), streamPath()]) await (await call(path, ask())).text()
  const messages = [{ role: 'user', content: 'Hello' }]
  const model = 'test-model'
  await (await call('/v1/chat/completions', { model, messages })).text()
  await (
    await call(
      '/v1/messages',
      { model, messages, max_tokens: 50 },
      { headers: { 'anthropic-version': '2023-06-01' } },
    )
  ).text()
  const rich = usage(100, 20, { cachedContentTokenCount: 40, thoughtsTokenCount: 7 })
  upstream.answer(whole({ ...piece('Rich.'), usageMetadata: { ...rich, totalTokenCount: 127 } }))
  await (await call(wholePath('test-thinking'), ask())).text()
  // The first key fails, the second one answers.
  upstream.answer(({ headers, path }) => {
    if (headers['x-goog-api-key']?.endsWith('one')) return refusal(500)
    return path.includes(':stream') ? events([answer()]) : whole(answer())
  })
  for (let tries = 0; tries < 20 && failedTries(gateway) === 0; tries++)
    await (await call(wholePath(), ask())).text()
  upstream.answer(refusal(500))
  await (await call(wholePath(), ask())).text()
  upstream.answer(stream({ event: piece('Half an ') }, 'read', 'reset'))
  await (await call(streamPath(), ask())).text().catch(() => '')
  await leave({ call, upstream })
  await gateway.rest()
}

const failedTries = (gateway: Scene['gateway']): number =>
  gateway.rows().calls.reduce((sum, { failed_tries }) => sum + failed_tries, 0)

async function leave({ call, upstream }: Pick<Scene, 'call' | 'upstream'>): Promise<void> {
  const leaving = new AbortController()
  const { script, received, release } = heldBack(answering)
  upstream.answer(script)
  const waiting = call(wholePath(), ask(), { signal: leaving.signal }).catch(() => undefined)
  await received
  leaving.abort()
  await waiting
  release()
}
