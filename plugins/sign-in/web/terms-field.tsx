// The field by which a new person accepts the terms of service.

import type { Terms } from '../../../src/app/surface/console/terms.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { Switch } from '../../console/web/parts/switch.tsx'

interface TermsFieldProps {
  /** Null if there are no terms; then the field is not rendered. */
  terms: Terms | null
  accepted: boolean
  onChange: (accepted: boolean) => void
}

export const TermsField = ({ terms, accepted, onChange }: TermsFieldProps) =>
  terms && (
    <Field
      inline
      label="I accept the terms of service"
      name="terms"
      help={
        <a href={terms.url} target="_blank" rel="noreferrer">
          Read the terms of service
        </a>
      }
    >
      <Switch checked={accepted} onChange={onChange} />
    </Field>
  )
