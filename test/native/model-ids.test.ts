// Ids of models that hold colons and slashes, on the native surface: the last colon divides the id from the method.
import { expect, test } from 'bun:test'
import { PROVIDER } from '../support/catalogue.ts'
import {
  ANSWER_NANOS,
  answering,
  ask,
  nativeError,
  refusalOf,
  streamPath,
  wholePath,
} from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'

const IDS = ['qwen3:8b', 'maker/qwen3:8b-q4_K_M', 'a:b:c', 'x:generateContent']
const modelOf = (id: string) => modelSection(id, { [PROVIDER]: id })
const { call, upstream, lastCall, counts, expectCounts } = await fileScene({
  script: answering,
  more: IDS.map(modelOf).join(''),
})

const SPELLINGS = [
  ['plain', (id: string) => id],
  ['encoded', encodeURIComponent],
] as const

test.each(IDS.flatMap((id) => SPELLINGS.map(([how, write]) => [id, how, write] as const)))(
  '%s, written %s, whole and streamed',
  async (id, _, write) => {
    for (const path of [wholePath(write(id)), streamPath(write(id))])
      for (const version of ['/v1beta/', '/v1/']) {
        const response = await call(path.replace('/v1beta/', version), ask())
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello.')])
        expect(await lastCall()).toMatchObject({ model: id, cost_nanos: ANSWER_NANOS })
        expect(upstream.last().path).toStartWith(
          `/v1beta/models/${id.split('/').map(encodeURIComponent).join('/')}:`,
        )
      }
  },
)

test('a whole path whose colons are encoded', async () => {
  const response = await call(`/v1beta/models/${encodeURIComponent('qwen3:8b:generateContent')}`, ask())
  expect(response.status).toBe(200)
})

test.each([
  ['an id and no method', '/v1beta/models/qwen3:8b', 404, 'NOT_FOUND'],
  ['the beginning of an id', wholePath('qwen3'), 404, 'NOT_FOUND'],
  ['an id with a colon too many', wholePath('qwen3:8b:'), 404, 'NOT_FOUND'],
  ['a method that is not implemented', '/v1beta/models/qwen3:8b:countTokens', 501, 'UNIMPLEMENTED'],
])('%s: %s is %i', async (_, path, status, code) => {
  const before = counts()
  const refused = await refusalOf(await call(path, ask()))
  expect([refused.status, refused.body]).toEqual([status, nativeError(status, code)])
  await expectCounts(before)
})
