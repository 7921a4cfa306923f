// A bug of the gateway in one of the requests that make up an image call.
import { expect, test } from 'bun:test'
import { geminiImages } from '../../src/protocols/gemini/images.ts'
import type { ImageAnswer } from '../../src/protocols/images.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { BUILT_IN_PROTOCOLS, registryOf } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { PROVIDER } from '../support/catalogue.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'
import { draws, GENERATIONS, imagesIn, PNG } from './support.ts'

const { gemini, anthropic, openai } = BUILT_IN_PROTOCOLS

let decoded = 0
/** Fails on the first answer. */
function decode(answer: JsonObject): ImageAnswer {
  if (decoded++ === 0) throw new TypeError('a bug in the reading of images')
  return geminiImages.decode(answer)
}

const broken: Protocol = { ...gemini, images: { ...geminiImages, decode } }
const { gateway, upstream, call } = await fileScene({
  protocols: registryOf([broken, anthropic, openai]),
  more: modelSection(
    'several',
    { [PROVIDER]: 'upstream-image' },
    { kind: 'image', price: 'per_image = 0.04', more: 'max_n_per_request = 4' },
  ),
})

test('a bug in one request is logged with its stack, even if the other requests bring images', async () => {
  upstream.answer(draws(PNG))
  const response = await call(GENERATIONS, { model: 'several', prompt: 'a red house', n: 2 })
  const { data, usage } = await imagesIn(response)
  expect([data.length, usage.images]).toEqual([1, 1])
  const logged = gateway.log.lines().filter(({ level }) => level === 'error')
  expect(logged).toMatchObject([
    {
      request_id: response.headers.get('x-request-id'),
      cause: { name: 'TypeError', stack: expect.stringContaining('a bug in the reading of images') },
    },
  ])
  await gateway.rest()
})
