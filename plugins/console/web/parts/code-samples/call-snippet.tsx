// A call as sample code, for the SDK and language that the user chooses.
import { type ReactNode, useState } from 'react'
import { brand } from '../../app/brand.ts'
import { Choices } from '../choices.tsx'
import { Snippet } from '../snippet.tsx'
import { SDKS, type Sdk } from './requests.ts'
import { type SampleCall, samplesOf } from './samples.ts'

interface CallSnippetProps {
  call: SampleCall
  children?: ReactNode
}

export function CallSnippet({ call, children }: CallSnippetProps) {
  const [sdk, setSdk] = useState<Sdk>('OpenAI')
  return (
    <>
      <div className="row">
        <Choices
          label="SDK"
          options={SDKS.map((name) => ({ value: name, label: name }))}
          value={sdk}
          onChange={setSdk}
        />
        {children}
      </div>
      <Snippet samples={samplesOf(sdk, { ...call, key_variable: brand.key_variable })} />
    </>
  )
}
