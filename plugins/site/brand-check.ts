// The doctor's check of the brand: its files exist and are images.
import { type Diagnosis, diagnosesOf, type ReadContext } from '../../src/app/checks/check.ts'
import { readBrandFile } from './brand-files.ts'

const { ok, warn } = diagnosesOf('brand')

/** No diagnosis if the operator has set no file. */
export async function checkBrandFiles({ data_folder, catalogue }: ReadContext): Promise<Diagnosis[]> {
  const names = [catalogue.brand.logo, catalogue.brand.icon].filter((name) => name !== undefined)
  if (names.length === 0) return []
  const readings = await Promise.all(names.map((name) => readBrandFile(data_folder, name)))
  const problems = readings.flatMap((reading) => ('problem' in reading ? [reading.problem] : []))
  if (problems.length === 0) return [ok(`${names.join(', ')}: shown on the pages`)]
  return problems.map((problem) =>
    warn(
      problem,
      'Put the image into the data folder, or change [brand] in Settings. Pages show the name meanwhile.',
    ),
  )
}
