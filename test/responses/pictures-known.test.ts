// Pictures in conversations of which parts came before: the tool's requests are made of the same values, and none is changed.
import { expect, test } from 'bun:test'
import { freezeKnownValues } from '../support/frozen-values.ts'
import { draw, MODELS, PAINTER, pictureScene, say, telling, WIRES } from './picture-scene.ts'

const { upstream, call, asked_texts, asked_images } = await pictureScene()
const handedOut = freezeKnownValues()

const long = 'A cat that sits on a tree. '.repeat(60)
const conversation = [
  { role: 'user', content: [{ type: 'input_text', text: long }] },
  { role: 'assistant', content: [{ type: 'output_text', text: long }] },
  { role: 'user', content: 'Draw it.' },
]
const tools = [
  { type: 'image_generation', model: PAINTER },
  {
    type: 'function',
    name: 'look',
    description: long,
    parameters: { type: 'object', properties: {} },
    strict: false,
  },
]

test.each(WIRES.flatMap((wire) => [false, true].map((stream) => [wire, stream] as const)))(
  '%s, stream: %p',
  async (wire, stream) => {
    const ask = async (): Promise<unknown> => {
      const texts = asked_texts().length
      const images = asked_images().length
      upstream.answer(telling([draw(), say('A cat.')]))
      const response = await call('/v1/responses', {
        model: MODELS[wire],
        input: conversation,
        tools,
        stream,
      })
      await response.text()
      // What the model said has an id that is new each time.
      const told = asked_texts()
        .slice(texts)
        .map((body) => JSON.stringify(body).replace(/call_\d+/g, 'call'))
      return { status: response.status, told, images: asked_images().length - images }
    }
    const first = await ask()
    expect(first).toMatchObject({ status: 200, told: [expect.anything(), expect.anything()], images: 1 })
    await ask()
    const before = handedOut()
    expect(await ask()).toEqual(first)
    expect(handedOut() - before).toBeGreaterThanOrEqual(3)
  },
)
