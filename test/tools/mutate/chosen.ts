// Mutants of the areas, in an order that depends only on the seed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { AREA_NAMES } from './areas.ts'
import { type Mutant, mutantsOf } from './mutants.ts'

export interface Chosen extends Mutant {
  file: string
}

/**
 * A mutant's place comes from its own text, so that a run goes on in the same order after other lines have changed.
 *
 * @param only the beginnings of file names; empty for all areas
 */
export function chosenMutants(root: string, seed: number, only: readonly string[]): Chosen[] {
  const files = AREA_NAMES.flatMap((folder) => [...new Glob(`${folder}**/*.ts`).scanSync(root)])
  const wanted = [...new Set(files)]
    .filter((file) => only.length === 0 || only.some((begin) => file.startsWith(begin)))
    .sort()
  return wanted
    .flatMap((file) =>
      mutantsOf(readFileSync(join(root, file), 'utf8')).map((mutant) => ({ ...mutant, file })),
    )
    .map((mutant) => ({ mutant, place: Bun.hash(`${mutant.file} ${mutant.before} ${mutant.after}`, seed) }))
    .sort((one, other) => (one.place < other.place ? -1 : one.place > other.place ? 1 : 0))
    .map(({ mutant }) => mutant)
}
