// Images in the document: made, edited and composed, and those that an account has made. Bodies stand at the routes.
import { IMAGES_ANSWER } from '../answers.ts'
import { PAID_HEADERS, RATE_HEADERS } from '../headers.ts'
import {
  type Answer,
  type Content,
  eventsOf,
  IDEMPOTENCY_KEY,
  PAID_FAILURES,
  type Written,
} from '../operation.ts'
import { PICTURE_FILE, PICTURE_URI, SAMPLE_IDS } from '../samples.ts'
import { count, list, object, orNull, ref, type Schema, text } from '../schema.ts'

const common = { tag: 'Images', dialect: 'images' } as const
const paid = { ...common, parameters: [IDEMPOTENCY_KEY], fails: PAID_FAILURES } as const
const MODEL = 'sim-image'

export const imagesSchemas: Readonly<Record<string, Schema>> = {
  Images: object(
    {
      created: count('Seconds since 1970, UTC.'),
      data: list(
        object(
          {
            b64_json: text('The image in base64.'),
            revised_prompt: orNull(text('The prompt as the model understood it.')),
          },
          { required: ['b64_json'] },
        ),
        'As many images as came, in the size and format that were asked for.',
      ),
      svc_generation_ids: list(
        text(''),
        'Their ids, by which later calls refer to them, in the order of `data`.',
      ),
      usage: object({ images: count('Images that are charged.') }),
      cost: text('What was charged, in USD as a decimal number.'),
    },
    { required: ['created', 'data', 'svc_generation_ids', 'usage', 'cost'] },
  ),
  ImageEvent: object(
    {
      type: text(
        '`image_generation.partial_image`, `image_generation.completed`, or the same of `image_edit`.',
      ),
      b64_json: text('The image in base64.'),
      created_at: count('Seconds since 1970, UTC.'),
      size: text('Its width and height.'),
      quality: text('As it was asked for.'),
      background: text('As it was asked for.'),
      output_format: text('Its format.'),
      partial_image_index: count('Of a partial image: which, from 0.'),
      svc_generation_id: text('Of a whole one: its id.'),
      usage: object({ images: count('Images that are charged.') }, { description: 'With the last one.' }),
      cost: text('With the last one: what was charged, in USD.'),
    },
    { required: ['type', 'b64_json'] },
  ),
}

const made: Answer = {
  description: 'The images.',
  headers: [...PAID_HEADERS, ...RATE_HEADERS],
  content: { 'application/json': { schema: ref('Images'), examples: IMAGES_ANSWER } },
}
const madeOrStreamed: Answer = {
  ...made,
  headers: [...PAID_HEADERS, ...RATE_HEADERS, 'x-tollgate-dropped'],
  content: { ...made.content, 'text/event-stream': eventsOf(ref('ImageEvent')) },
}

const SIZE = '256x256'

export const making: Readonly<Record<string, readonly Written[]>> = {
  'POST /v1/images/generations': [
    {
      ...paid,
      id: 'createImage',
      summary: 'Make images',
      description:
        'What comes back is what was asked for: size, ratio and format exactly. Fewer images than asked for are charged for those that came.',
      examples: {
        'application/json': {
          image: {
            summary: 'An image',
            value: { model: MODEL, prompt: 'a red house on green hills', size: SIZE },
          },
          stream: {
            summary: 'A stream with a partial image',
            value: {
              model: 'sim-gpt-image',
              prompt: 'a red house on green hills',
              size: '1024x1024',
              stream: true,
              partial_images: 1,
            },
          },
        },
      },
      answers: { 200: madeOrStreamed },
    },
  ],
  'POST /v1/images/edits': [
    {
      ...paid,
      id: 'editImage',
      summary: 'Edit an image',
      description:
        'From an image of this account, or from one to three that come along in a form, which are kept as its uploads.',
      examples: {
        'application/json': {
          generation: {
            summary: 'An image that was made here',
            value: {
              model: MODEL,
              prompt: 'the same at golden evening light',
              generation_id: SAMPLE_IDS.generation,
              size: SIZE,
            },
          },
          upload: {
            summary: 'An uploaded image',
            value: { model: MODEL, prompt: 'the same in winter', image_key: SAMPLE_IDS.file, size: SIZE },
          },
        },
        'multipart/form-data': {
          form: {
            summary: 'An image that comes along',
            value: { image: [PICTURE_FILE], model: MODEL, prompt: 'the same in winter', size: SIZE },
          },
        },
      },
      answers: { 200: madeOrStreamed },
    },
  ],
  'POST /v1/images/compose': [
    {
      ...paid,
      id: 'composeImages',
      summary: 'Compose images into one',
      description: 'From one to three references together; always answered as PNG.',
      examples: {
        'application/json': {
          references: {
            summary: 'An earlier image and one that comes along',
            value: {
              model: MODEL,
              prompt: 'both on a blue wall',
              generation_ids: [SAMPLE_IDS.generation],
              image_urls: [PICTURE_URI],
              size: SIZE,
            },
          },
        },
      },
      answers: { 200: made },
    },
  ],
}

/** The bytes of an image. */
export const IMAGE_CONTENT: Content = Object.fromEntries(
  ['image/png', 'image/jpeg', 'image/webp', 'image/gif'].map((type) => [
    type,
    { schema: { type: 'string', format: 'binary', description: 'The image.' } },
  ]),
)

const aboutId = { id: { description: 'The id of an image.', example: SAMPLE_IDS.generation } }
const beingMade: Answer = { description: 'The image is still being made.', headers: ['retry-after'] }

export const history: Readonly<Record<string, readonly Written[]>> = {
  'GET /api/images/history': [
    {
      ...common,
      id: 'listImages',
      summary: 'List the images that were made',
      description: 'Those of the account, newest first, with what each was made from. It costs nothing.',
      about: {
        model: { description: 'Of this model only.', example: MODEL },
        kind: { description: 'Made in this way only.', example: 'generation' },
        limit: { description: 'How many a page has at most; 50 by default.', example: 10 },
        cursor: { description: 'The `next_cursor` of the page before.' },
      },
      answers: { 200: { description: 'A page of images.' } },
    },
  ],
  'GET /api/images/{id}': [
    {
      ...common,
      id: 'getImage',
      summary: 'Read an image',
      description: 'Its bytes. It costs nothing.',
      about: aboutId,
      answers: {
        200: { description: 'The image.', content: IMAGE_CONTENT },
        409: beingMade,
        422: { description: 'The image could not be made.' },
      },
    },
  ],
  'DELETE /api/images/{id}': [
    {
      ...common,
      id: 'deleteImage',
      summary: 'Delete an image',
      description: 'The image goes; the record of what it cost stays.',
      about: aboutId,
      answers: { 200: { description: 'It is deleted.' }, 409: beingMade },
    },
  ],
}
