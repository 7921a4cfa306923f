// A gateway whose image library cannot be loaded: a request that needs it is refused with 503 before anything is read, held, or sent.
import { describe, expect, test } from 'bun:test'
import { checkImageLibrary } from '../../plugins/doctor/checks/images.ts'
import { plugins } from '../../plugins/index.ts'
import { createImageTrial } from '../../src/app/process/image-library.ts'
import { createDecoder } from '../../src/media/decoder.ts'
import { MODEL } from '../support/catalogue.ts'
import { memoryLog } from '../support/memory-log.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../support/native.ts'
import { pluginsOver } from '../support/plugins.ts'
import { fileScene } from '../support/scene.ts'
import {
  COMPOSE,
  compose,
  EDITS,
  editForm,
  GENERATIONS,
  generation,
  models,
  PICTURE,
  PNG,
} from './support.ts'

const REASON = '/nowhere: failed to map segment from shared object'
let loads = 0
const failing = () => {
  loads++
  return Promise.reject(new Error(REASON))
}
const decoder = createDecoder(failing)
const { gateway, call, counts, expectCounts, lastCall } = await fileScene({
  more: models,
  script: answering,
  plugins: pluginsOver(plugins, (gateway) => ({
    ...gateway,
    content: { ...gateway.content, images: { ...gateway.content.images, decoder } },
  })),
})

async function postForm(path: string, form: FormData): Promise<Response> {
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return call(path, await encoded.bytes(), { headers })
}
const fileForm = (): FormData => {
  const form = new FormData()
  form.append('files', new File([PNG], 'a.png'))
  return form
}
const MESSAGE = { role: 'user', content: 'Draw a red house.' }

describe('a request that needs the library gets 503 in the shape of its surface, and leaves nothing', () => {
  test.each<[string, () => Promise<Response>, object]>([
    ['a generation', () => call(GENERATIONS, generation()), { error: { code: 'images_unavailable' } }],
    ['an edit', () => postForm(EDITS, editForm()), { error: { code: 'images_unavailable' } }],
    ['a composition', () => call(COMPOSE, compose()), { error: { code: 'images_unavailable' } }],
    ['an invalid body', () => call(GENERATIONS, 'x'), { error: { code: 'images_unavailable' } }],
    ['an upload', () => postForm('/api/v1/upload', fileForm()), {}],
    [
      'a picture on the native surface',
      () => call(wholePath(PICTURE), ask()),
      { error: { status: 'UNAVAILABLE' } },
    ],
    [
      'a picture in a chat',
      () => call('/v1/chat/completions', { model: PICTURE, messages: [MESSAGE] }),
      { error: { code: 'images_unavailable' } },
    ],
  ])('%s', async (_name, send, shape) => {
    const before = counts()
    const response = await send()
    const text = await response.text()
    expect([response.status, JSON.parse(text)]).toMatchObject([503, shape])
    expect(text).not.toContain('/nowhere')
    await expectCounts(before)
    expect(gateway.rows().holds.filter(({ state }) => state === 'pending')).toEqual([])
  })
  test('the library is tried once', () => expect(loads).toBe(1))
})

test('text calls are answered as usual', async () => {
  expect((await call(wholePath(MODEL), ask())).status).toBe(200)
  expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: ANSWER_NANOS })
})

const catalogueWith = (...kinds: string[]) =>
  ({ models: new Map(kinds.map((kind) => [kind, { kind }])) }) as never

describe('the doctor', () => {
  test.each([
    ['fails', 'image', 'fail', /^image calls and uploads are refused: .*nowhere/],
    ['warns', 'text', 'warn', /^uploads are refused: .*nowhere/],
  ])('%s if the catalogue has models for %s', async (_, kind, level, found) => {
    const [diagnosis] = await checkImageLibrary({ catalogue: catalogueWith(kind) }, failing)
    expect(diagnosis).toMatchObject({ check: 'images', level, found: expect.stringMatching(found) })
    expect(diagnosis?.advice).toContain('XDG_CACHE_HOME')
  })
  test('accepts a library that loads', async () => {
    const [diagnosis] = await checkImageLibrary({ catalogue: catalogueWith('image') })
    expect(diagnosis).toMatchObject({ level: 'ok' })
  })
})

describe('the trial at the start', () => {
  const trialOf = () => {
    const memory = memoryLog()
    let trials = 0
    const trial = createImageTrial(() => {
      trials++
      return { ended: Promise.resolve({ report: { failure: REASON } }), stop() {} }
    }, memory.log)
    return { memory, trial, trials: () => trials }
  }
  test('does not run in a gateway without image models', () => {
    const { trial, trials } = trialOf()
    trial.follow(catalogueWith('text', 'embedding'))
    expect(trials()).toBe(0)
  })
  test('runs once, with the first catalogue that has image models, and logs the failure', async () => {
    const { trial, trials, memory } = trialOf()
    for (const kinds of [['text'], ['text', 'image'], ['image']]) trial.follow(catalogueWith(...kinds))
    const line = await memory.waitForLine(({ message }) => message.startsWith('images cannot be decoded'))
    expect(line).toMatchObject({ level: 'error', reason: expect.stringContaining(REASON) })
    expect(trials()).toBe(1)
  })
})
