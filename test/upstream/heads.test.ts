// The address and headers of requests to providers, which are made once for a catalogue: they follow every change of it.
import { describe, expect, test } from 'bun:test'
import { PROVIDER_KEYS, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { answering, ask, streamPath, wholePath } from '../support/native.ts'
import { type CatalogueChanges, fileScene } from '../support/scene.ts'

const { upstream, call, recatalogue } = await fileScene({ script: answering })

/** The upstream request without its body: the address, and the headers that a catalogue decides. */
async function headOf(path: string, text?: string) {
  const response = await call(path, ask(text))
  expect(response.status).toBe(200)
  await response.text()
  const { path: to, headers } = upstream.last()
  return { to, key: headers['x-goog-api-key'], team: headers['x-team'] }
}

const MODEL_AT = `/v1beta/models/${UPSTREAM_MODEL}`
const WHOLE_TO = `${MODEL_AT}:generateContent`
const STREAM_TO = `${MODEL_AT}:streamGenerateContent?alt=sse`
const [FIRST_KEY, SECOND_KEY] = PROVIDER_KEYS

describe('a call after a change of the catalogue', () => {
  const changes: [string, CatalogueChanges, { key: string; team?: string }][] = [
    ['no change', {}, { key: FIRST_KEY }],
    ['another key', { api_keys: [SECOND_KEY] }, { key: SECOND_KEY }],
    ['a further header', { provider: 'headers = { x-team = "one" }' }, { key: FIRST_KEY, team: 'one' }],
    ['the header changed', { provider: 'headers = { x-team = "two" }' }, { key: FIRST_KEY, team: 'two' }],
    ['the header removed', {}, { key: FIRST_KEY }],
  ]
  test.each(changes)('%s: whole and streamed, more than once', async (_, change, { key, team }) => {
    await recatalogue(change)
    for (let n = 0; n < 2; n++) {
      expect(await headOf(wholePath())).toEqual({ to: WHOLE_TO, key, team })
      expect(await headOf(streamPath())).toEqual({ to: STREAM_TO, key, team })
    }
  })
})

test('each of several keys goes with its own requests', async () => {
  await recatalogue({ api_keys: PROVIDER_KEYS })
  const keys = new Set<string | undefined>()
  for (let n = 0; n < 60; n++) {
    const { to, key } = await headOf(n % 2 === 0 ? wholePath() : streamPath(), `Session ${n}.`)
    expect(to).toBe(n % 2 === 0 ? WHOLE_TO : STREAM_TO)
    keys.add(key)
  }
  expect([...keys].sort()).toEqual([...PROVIDER_KEYS].sort())
})

test('the head that is made once holds nothing of a call: calls at the same time get their own bodies', async () => {
  await recatalogue()
  upstream.requests.length = 0
  const texts = ['one', 'two', 'three', 'four']
  await Promise.all(texts.map(async (text) => (await call(wholePath(), ask(text))).json()))
  const sent = upstream.requests.map(({ body }) => JSON.parse(body.toString()).contents[0].parts[0].text)
  expect(sent.sort()).toEqual([...texts].sort())
})
