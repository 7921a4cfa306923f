// A gateway whose image library cannot be loaded: what would need it is refused with 503 before anything is read, held or asked.
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

async function posted(path: string, form: FormData): Promise<Response> {
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return call(path, await encoded.bytes(), { headers })
}
const fileForm = (): FormData => {
  const form = new FormData()
  form.append('files', new File([PNG], 'a.png'))
  return form
}
const DRAW = { role: 'user', content: 'Draw a red house.' }

describe('503 in the shape of the surface, and nothing is left', () => {
  test.each<[string, () => Promise<Response>, object]>([
    ['a generation', () => call(GENERATIONS, generation()), { error: { code: 'images_unavailable' } }],
    ['an edit', () => posted(EDITS, editForm()), { error: { code: 'images_unavailable' } }],
    ['a composition', () => call(COMPOSE, compose()), { error: { code: 'images_unavailable' } }],
    ['a body that is wrong', () => call(GENERATIONS, 'x'), { error: { code: 'images_unavailable' } }],
    ['an upload', () => posted('/api/v1/upload', fileForm()), {}],
    [
      'a picture on the native surface',
      () => call(wholePath(PICTURE), ask()),
      { error: { status: 'UNAVAILABLE' } },
    ],
    [
      'a picture in a chat',
      () => call('/v1/chat/completions', { model: PICTURE, messages: [DRAW] }),
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

test('text is answered as ever', async () => {
  expect((await call(wholePath(MODEL), ask())).status).toBe(200)
  expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: ANSWER_NANOS })
})

const catalogueWith = (...kinds: string[]) =>
  ({ models: new Map(kinds.map((kind) => [kind, { kind }])) }) as never

describe('the doctor', () => {
  test.each([
    ['fails', 'image', 'fail', /^image calls and uploads are refused: .*nowhere/],
    ['warns', 'text', 'warn', /^uploads are refused: .*nowhere/],
  ])('%s where the catalogue has models for %s', async (_, kind, level, found) => {
    const [diagnosis] = await checkImageLibrary({ catalogue: catalogueWith(kind) }, failing)
    expect(diagnosis).toMatchObject({ check: 'images', level, found: expect.stringMatching(found) })
    expect(diagnosis?.advice).toContain('XDG_CACHE_HOME')
  })
  test('is content with a library that loads', async () => {
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
  test('is not made for a gateway without image models', () => {
    const { trial, trials } = trialOf()
    trial.follow(catalogueWith('text', 'embedding'))
    expect(trials()).toBe(0)
  })
  test('is made once, with the first catalogue that has some, and named in the log', async () => {
    const { trial, trials, memory } = trialOf()
    for (const kinds of [['text'], ['text', 'image'], ['image']]) trial.follow(catalogueWith(...kinds))
    const line = await memory.shows(({ message }) => message.startsWith('images cannot be decoded'))
    expect(line).toMatchObject({ level: 'error', reason: expect.stringContaining(REASON) })
    expect(trials()).toBe(1)
  })
})
