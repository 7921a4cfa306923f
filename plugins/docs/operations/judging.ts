// Moderations and rerank in the document.
import { Rerank } from '../../../src/protocols/openai/rerank.ts'
import { PAID_HEADERS } from '../headers.ts'
import { IDEMPOTENCY_KEY, PAID_FAILURES, type Written } from '../operation.ts'
import { PICTURE_URI } from '../samples.ts'
import {
  anyObject,
  count,
  described,
  either,
  flag,
  list,
  object,
  quantity,
  type Schema,
  text,
  words,
} from '../schema.ts'

const judging = {
  tag: 'Moderations and rerank',
  dialect: 'openai',
  parameters: [IDEMPOTENCY_KEY],
  fails: PAID_FAILURES,
} as const

const each = (values: Schema, description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: values,
})

export const moderations: readonly Written[] = [
  {
    ...judging,
    id: 'createModeration',
    summary: 'Judge texts and images',
    body: {
      'application/json': {
        schema: object(
          {
            model: text('The name of a moderation model; without it, the first that the key may call.'),
            input: either(
              'What is judged.',
              text('One text.'),
              list(text(''), 'Several, each judged for itself.'),
              list(
                object(
                  {
                    type: words('Of what kind it is.', 'text', 'image_url'),
                    text: text('Of `text`.'),
                    image_url: object({ url: text('A public https address, or a data URI.') }),
                  },
                  { required: ['type'] },
                ),
                'Texts and images, judged together.',
              ),
            ),
          },
          { required: ['input'] },
        ),
        examples: {
          text: { summary: 'A text', value: { model: 'sim-moderation', input: 'The sky is blue.' } },
          image: {
            summary: 'A text and a picture',
            value: {
              input: [
                { type: 'text', text: 'The sky is blue.' },
                { type: 'image_url', image_url: { url: PICTURE_URI } },
              ],
            },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The judgements.',
        headers: PAID_HEADERS,
        content: {
          'application/json': {
            schema: object(
              {
                id: text('An id.'),
                model: text('The model that was asked for.'),
                results: list(
                  object(
                    {
                      flagged: flag('Something is wrong with it.'),
                      categories: each({ type: 'boolean' }, 'What.'),
                      category_scores: each({ type: 'number' }, 'How surely.'),
                    },
                    { required: ['flagged'] },
                  ),
                ),
              },
              { required: ['results'] },
            ),
          },
        },
      },
    },
  },
]

/** The same at both versions of Cohere's address. */
const rerankAs = (id: string): readonly Written[] => [
  {
    ...judging,
    id,
    summary: 'Sort documents by a query',
    description: "In the shape of Cohere's and Jina's API, whose clients ask at either address.",
    body: {
      'application/json': {
        schema: described(
          Rerank,
          {
            model: text('The name of a rerank model.'),
            query: 'What is looked for.',
            documents: list(either('', text('A text.'), anyObject('An object with its text.')), 'Where.'),
            top_n: 'How many of the best to answer.',
            return_documents: flag('Give the documents back, too.'),
            max_tokens_per_doc: 'What is read of each; 4,096 by default.',
            max_chunks_per_doc: "The same in Cohere's older version.",
            rank_fields: list(text(''), 'Which fields of documents to read.'),
            priority: count("Cohere's order of requests."),
            truncation: flag("Jina's: cut what is too long."),
          },
          { required: ['model', 'documents'] },
        ),
        examples: {
          texts: {
            summary: 'Two texts',
            value: {
              model: 'sim-rerank',
              query: 'the colour of the sky',
              documents: ['Grass is green.', 'The sky is blue.'],
              top_n: 1,
            },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The best first.',
        headers: PAID_HEADERS,
        content: {
          'application/json': {
            schema: object(
              {
                id: text('An id.'),
                results: list(
                  object(
                    {
                      index: count('Which document.'),
                      relevance_score: quantity('How well it fits.'),
                      document: anyObject('The document, where it was asked for.'),
                    },
                    { required: ['index', 'relevance_score'] },
                  ),
                ),
              },
              { required: ['results'] },
            ),
          },
        },
      },
    },
  },
]

export const rerank: Readonly<Record<string, readonly Written[]>> = {
  'POST /v1/rerank': rerankAs('rerank'),
  'POST /v2/rerank': rerankAs('rerankV2'),
}
