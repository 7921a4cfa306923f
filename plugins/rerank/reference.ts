// Rerank in the API reference.
import {
  json,
  PAID_HEADERS,
  type Reference,
  type WrittenOperation,
} from '../../src/app/reference/operation.ts'
import { anyObject, asIn, count, either, flag, list, text } from '../../src/app/reference/schema.ts'

const RERANK = 'https://docs.cohere.com/reference/rerank'

/** Both versions of Cohere's address have the same reference. */
const rerankAs = (route: string, id: string): WrittenOperation => ({
  route,
  id,
  summary: 'Rerank documents',
  description: "In the shape of Cohere's and Jina's API, whose clients ask at either address.",
  body: json(
    asIn(RERANK, {
      model: text('The name of a rerank model.'),
      query: text('The query.'),
      documents: list(either('', text('A text.'), anyObject('An object with its text.')), 'Texts to rank.'),
      'top_n?': count('How many documents to return at most.'),
      'return_documents?': flag('Also return the documents.'),
      'max_tokens_per_doc?': count('Tokens to read of each; 4,096 by default.'),
    }),
    {
      'Two texts': {
        model: 'sim-rerank',
        query: 'the sky',
        documents: ['Grass is green.', 'The sky is blue.'],
        top_n: 1,
      },
    },
  ),
  answer: 'Best first.',
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

export const reference: Reference = {
  tag: 'Moderations and rerank',
  operations: [rerankAs('POST /v1/rerank', 'rerank'), rerankAs('POST /v2/rerank', 'rerankV2')],
}
