// Moderations and rerank in the document.
import { PAID_HEADERS } from '../../src/app/reference/headers.ts'
import { json, type Written } from '../../src/app/reference/operation.ts'
import { PICTURE_URI } from '../../src/app/reference/samples.ts'
import { anyObject, count, either, flag, list, object, text } from '../../src/app/reference/schema.ts'
import { ANSWERED_MODEL, asIn, OPENAI } from '../../src/app/reference/provider.ts'

const MODERATION = `${OPENAI}/moderations/create`
const RERANK = 'https://docs.cohere.com/reference/rerank'
const SKY = 'The sky is blue.'
const picture = { type: 'image_url', image_url: { url: PICTURE_URI } }

/** The same at both versions of Cohere's address. */
const rerankAs = (route: string, id: string): Written => ({
  route,
  id,
  summary: 'Sort documents by a query',
  description: "In the shape of Cohere's and Jina's API, whose clients ask at either address.",
  body: json(
    asIn(RERANK, {
      model: text('The name of a rerank model.'),
      query: text('What is looked for.'),
      documents: list(either('', text('A text.'), anyObject('An object with its text.')), 'Where.'),
      'top_n?': count('How many of the best to answer.'),
      'return_documents?': flag('Give the documents back, too.'),
      'max_tokens_per_doc?': count('What is read of each; 4,096 by default.'),
    }),
    {
      'Two texts': { model: 'sim-rerank', query: 'the sky', documents: ['Grass is green.', SKY], top_n: 1 },
    },
  ),
  answer: 'The best first.',
  headers: PAID_HEADERS,
  content: json(
    asIn(RERANK, {
      'id?': text('An id.'),
      results: list(
        anyObject('`index` is which document, `relevance_score` how well it fits.'),
        'The best documents.',
      ),
    }),
  ),
})

export const judging: readonly Written[] = [
  {
    route: 'POST /v1/moderations',
    id: 'createModeration',
    summary: 'Judge texts and images',
    body: json(
      asIn(MODERATION, {
        'model?': text('The name of a moderation model; without it, the first that the key may call.'),
        input: either(
          'What is judged.',
          text('One text.'),
          list(text(), 'Several, each judged for itself.'),
          list(
            object({
              type: text('`text` or `image_url`.'),
              'text?': text('Of `text`.'),
              'image_url?': object({ 'url?': text('A public https address, or a data URI.') }),
            }),
            'Texts and images, judged together.',
          ),
        ),
      }),
      {
        'A text': { model: 'sim-moderation', input: SKY },
        'A text and a picture': { input: [{ type: 'text', text: SKY }, picture] },
      },
    ),
    answer: 'The judgements.',
    headers: PAID_HEADERS,
    content: json(
      asIn(MODERATION, {
        'id?': text('An id.'),
        'model?': ANSWERED_MODEL,
        results: list(
          anyObject(
            '`flagged` if something is wrong with it, `categories` what, `category_scores` how surely.',
          ),
          'One for each that is judged.',
        ),
      }),
    ),
  },
  rerankAs('POST /v1/rerank', 'rerank'),
  rerankAs('POST /v2/rerank', 'rerankV2'),
]
