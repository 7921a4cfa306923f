// Images over the native protocol: the request to a Gemini image model, and the meaning of its answers.
import { describe, expect, test } from 'bun:test'
import { geminiImages } from '../../../src/protocols/gemini/images.ts'
import type { ImageRequest } from '../../../src/protocols/images.ts'
import { imageRequest } from '../image-request.ts'

const encoded = (rest: Partial<ImageRequest>, model = 'gemini-2.5-flash-image') =>
  geminiImages.encode(imageRequest(rest), { model })
const bodyOf = (rest: Partial<ImageRequest>, model?: string) => JSON.parse(String(encoded(rest, model).body))

describe('a request', () => {
  test('goes to generateContent', () => {
    expect(encoded({})).toMatchObject({
      path: '/v1beta/models/gemini-2.5-flash-image:generateContent',
      headers: { 'content-type': 'application/json' },
    })
  })

  test('has the prompt, then each reference as an inline part', () => {
    const references = [
      { bytes: Buffer.from('one'), mime: 'image/png' },
      { bytes: Buffer.from('two'), mime: 'image/webp' },
    ]
    expect(bodyOf({ references }).contents).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'a cat' },
          { inlineData: { mimeType: 'image/png', data: 'b25l' } },
          { inlineData: { mimeType: 'image/webp', data: 'dHdv' } },
        ],
      },
    ])
  })

  test('requests one image: image models take no candidateCount', () => {
    expect(geminiImages.maxPerRequest({ model: 'any' })).toBe(1)
    expect(bodyOf({ count: 3 }).generationConfig).toEqual({ responseModalities: ['TEXT', 'IMAGE'] })
  })

  test.each([
    [{ width: 1024, height: 1024 }, '1:1'],
    [{ width: 1024, height: 1536 }, '2:3'],
    [{ width: 1536, height: 1024 }, '3:2'],
    [{ width: 1792, height: 1024 }, '16:9'],
    [{ width: 1024, height: 1792 }, '9:16'],
    [{ width: 2000, height: 400 }, '21:9'],
    [{ width: 1, height: 2048 }, '9:16'],
    [{ width: 820, height: 1024 }, '4:5'],
  ])('for %o has the nearest ratio, %s', (size, ratio) => {
    expect(bodyOf({ size }).generationConfig.imageConfig).toEqual({ aspectRatio: ratio })
    expect(bodyOf({ aspect_ratio: size }).generationConfig.imageConfig).toEqual({ aspectRatio: ratio })
  })

  test.each([
    ['gemini-3-pro-image-preview', 1024, '1K'],
    ['gemini-3-pro-image-preview', 1025, '2K'],
    ['gemini-3-pro-image-preview', 4096, '4K'],
    ['gemini-2.5-flash-image', 2048, undefined],
  ])('to %s, %i pixels wide, has the size %p', (model, side, imageSize) => {
    const { imageConfig } = bodyOf({ size: { width: side, height: side } }, model).generationConfig
    expect(imageConfig.imageSize).toBe(imageSize)
  })
})

const imagePart = (data: string) => ({ inlineData: { mimeType: 'image/png', data } })

describe('an answer', () => {
  test('has the images of its parts with the text beside each, without the drafts of its thoughts', () => {
    const thought = { ...imagePart('DRAFT'), thought: true }
    const parts = [{ text: 'Here.' }, thought, imagePart('ONE'), imagePart('TWO'), { text: 'Both.' }]
    const textPart = (text: string) => ({ kind: 'text', text, signature: undefined })
    const beside = { before: [], after: [], signature: undefined, usage: undefined }
    expect(geminiImages.decode({ candidates: [{ content: { parts } }] })).toEqual({
      images: [
        { base64: 'ONE', revised_prompt: null, beside: { ...beside, before: [textPart('Here.')] } },
        { base64: 'TWO', revised_prompt: null, beside: { ...beside, after: [textPart('Both.')] } },
      ],
    } as never)
  })

  test('in snake_case is read, too', () => {
    const parts = [{ inline_data: { mime_type: 'image/png', data: 'ONE' } }]
    expect(geminiImages.decode({ candidates: [{ content: { parts } }] })).toMatchObject({
      images: [{ base64: 'ONE' }],
    })
  })

  test.each([
    ['SAFETY', 'content_policy_violation'],
    ['IMAGE_SAFETY', 'content_policy_violation'],
    ['PROHIBITED_CONTENT', 'content_policy_violation'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_policy_violation'],
    ['BLOCKLIST', 'content_policy_violation'],
    ['SPII', 'content_policy_violation'],
    ['STOP', 'no_image_generated'],
    ['MAX_TOKENS', 'no_image_generated'],
    ['NO_IMAGE', 'no_image_generated'],
    ['OTHER', 'no_image_generated'],
    ['A_REASON_OF_TOMORROW', 'no_image_generated'],
  ])('without an image, with the finishReason %s, is %s', (finishReason, refusal) => {
    expect(geminiImages.decode({ candidates: [{ finishReason }] }) as object).toEqual({ refusal })
  })

  test('to a blocked prompt is a refusal of moderation; an empty one is not', () => {
    expect(geminiImages.decode({ promptFeedback: { blockReason: 'OTHER' } })).toEqual({
      refusal: 'content_policy_violation',
    })
    expect(geminiImages.decode({})).toEqual({ refusal: 'no_image_generated' })
    expect(geminiImages.decode({ candidates: 'no list' })).toEqual({ refusal: 'no_image_generated' })
  })

  test('with an image has that image, whatever its finishReason', () => {
    const candidates = [{ content: { parts: [imagePart('ONE')] }, finishReason: 'SAFETY' }]
    expect(geminiImages.decode({ candidates })).toMatchObject({ images: [{ base64: 'ONE' }] })
  })
})
