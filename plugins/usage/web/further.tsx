// What a list of the most expensive leaves out.
import { count } from '../../console/web/parts/amounts.ts'

/** "and 12 more models"; nothing where all are listed. */
export const Further = ({ number, what }: { number: number; what: string }) =>
  number > 0 ? (
    <p className="small soft">
      and {count(number)} more {number === 1 ? what.replace(/s$/, '') : what}
    </p>
  ) : null
