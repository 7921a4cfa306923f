// Images in the API reference: generated, edited and composed.
import {
  events,
  form,
  json,
  PAID_HEADERS,
  RATE_HEADERS,
  type Reference,
} from '../../src/app/reference/operation.ts'
import { PICTURE_FILE, PICTURE_URI, SAMPLE_IDS } from '../../src/app/reference/samples.ts'
import { count, list, object, orNull, ref, text } from '../../src/app/reference/schema.ts'
import { ComposeFields, EditForm, GenerationFields, ImageEditFields } from './model.ts'

const charged = {
  images: count('Images that are charged.'),
  'partial_images?': count('Partial images that are charged.'),
}
const tokens = (what: string) =>
  object({ text_tokens: count('Of text.'), image_tokens: count('Of images.') }, `${what}, by kind.`)
/** The fields of OpenAI's usage type. */
const counted = {
  input_tokens: count('Tokens of the prompt and the images. 0 for a model that is priced by image.'),
  input_tokens_details: tokens('Input tokens'),
  output_tokens: count('Tokens of the images. 0 for a model that is priced by image.'),
  output_tokens_details: tokens('Output tokens'),
  total_tokens: count('Both together.'),
}
const usage = object({ ...charged, ...counted }, 'The charged usage.')
const eventUsage = object(
  { 'images?': charged.images, 'partial_images?': charged['partial_images?'], ...counted },
  'The charged usage, with the last image of the call; zeros before.',
)

const whole = {
  answer: 'The images.',
  headers: [...PAID_HEADERS, ...RATE_HEADERS],
  content: json(ref('Images')),
}
const streamable: typeof whole = {
  ...whole,
  headers: [...PAID_HEADERS, ...RATE_HEADERS, 'x-tollgate-dropped'],
  content: { ...whole.content, ...events(ref('ImageEvent')) },
}

const model = 'sim-image'
const size = '256x256'
const prompt = 'a red house on green hills'
const change = 'the same in winter'
const both = 'both on a blue wall'
const { generation, file } = SAMPLE_IDS

export const reference: Reference = {
  tag: 'Images',
  operations: [
    {
      ...streamable,
      route: 'POST /v1/images/generations',
      id: 'createImage',
      summary: 'Create images',
      description:
        'Images have exactly the requested size, ratio and format. If the provider returns fewer, only those are charged.',
      body: json(GenerationFields, {
        'An image': { model, prompt, size },
        'A stream': { model: 'sim-gpt-image', prompt, size: '1024x1024', stream: true, partial_images: 1 },
      }),
    },
    {
      ...streamable,
      route: 'POST /v1/images/edits',
      id: 'editImage',
      summary: 'Edit an image',
      description:
        'Edits an image of this account, or one to three images in a form, which are kept as uploads of the account.',
      body: {
        ...json(ImageEditFields, {
          'An image that was made here': { model, prompt: change, generation_id: generation, size },
          'An uploaded image': { model, prompt: change, image_key: file, size },
        }),
        ...form(EditForm, {
          'An image in the form': { image: [PICTURE_FILE], model, prompt: change, size },
        }),
      },
    },
    {
      ...whole,
      route: 'POST /v1/images/compose',
      id: 'composeImages',
      summary: 'Compose one image from several',
      description: 'From one to three references together; always answered as PNG.',
      body: json(ComposeFields, {
        'Two images': { model, prompt: both, generation_ids: [generation], image_urls: [PICTURE_URI], size },
      }),
    },
  ],
  schemas: {
    Images: object({
      created: count('Seconds since 1970, UTC.'),
      data: list(
        object({
          b64_json: text('The image in base64.'),
          'revised_prompt?': orNull(text('The prompt as the model understood it.')),
        }),
        'The images, in the requested size and format.',
      ),
      svc_generation_ids: list(
        text(),
        'Their ids, by which later calls refer to them, in the order of `data`.',
      ),
      usage,
      cost: text('The charge in USD, as a decimal number.'),
    }),
    ImageEvent: object({
      type: text(
        '`image_generation.partial_image`, `image_generation.completed`, or the same of `image_edit`.',
      ),
      b64_json: text('The image in base64.'),
      'created_at?': count('Seconds since 1970, UTC.'),
      'size?': text('Its width and height.'),
      'quality?': text('As requested.'),
      'background?': text('As requested.'),
      'output_format?': text('Its format.'),
      'partial_image_index?': count('The index of a partial image, from 0.'),
      'svc_generation_id?': text('The id of a complete image.'),
      'usage?': eventUsage,
      'cost?': text('The charge in USD, with the last image.'),
    }),
  },
  answers: {
    Images: {
      created: 1_790_000_000,
      data: [{ b64_json: 'iVBORw0KGgo…', revised_prompt: null }],
      svc_generation_ids: [SAMPLE_IDS.generation],
      usage: {
        images: 1,
        input_tokens: 0,
        input_tokens_details: { text_tokens: 0, image_tokens: 0 },
        output_tokens: 0,
        output_tokens_details: { text_tokens: 0, image_tokens: 0 },
        total_tokens: 0,
      },
      cost: '0.04',
    },
  },
}
