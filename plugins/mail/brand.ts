// The brand of mails: who sends them, as recipients know it.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Brand } from './purposes.ts'

/** The product's own name. */
export const brandOf = (_: Pick<Catalogue, 'sections'>): Brand => ({ name: 'Tollgate' })
