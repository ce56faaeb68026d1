/** The screen Quality: what went wrong, and what the clients have met of the API and its failures. */
import { Tabs } from '../parts/small.tsx';
import { route } from '../route.ts';
import { Coverage } from './coverage.tsx';
import { Problems } from './problems.tsx';

const tabs = [
  { name: '', title: 'Problems' },
  { name: 'coverage', title: 'Coverage' },
];

export default function QualityScreen() {
  const isCoverage = route.value.query['tab'] === 'coverage';
  return (
    <>
      <h1>Quality</h1>
      <Tabs label="Quality" parameter="tab" tabs={tabs} />
      {isCoverage ? <Coverage /> : <Problems />}
    </>
  );
}
