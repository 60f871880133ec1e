"""The account of the catalogue: every case is tried here, or by a test of another name."""

import re
from pathlib import Path

import pytest

from helpers.places import ROOT

TESTS = ROOT / "tests"
#: The cases of the catalogue: values, types, shapes, labels, weights, statistics, files, outputs,
#: surroundings.
CATALOGUE = [
    f"{letter}{number:02}"
    for letter, numbers in {
        "A": (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19),
        "B": (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27),
        "C": (2, 3, 4, 6, 7, 8, 10),
        "D": (1, 2, 4, 5, 6, 8, 9, 10),
        "E": (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15),
        "F": (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19),
        "G": (2, 3, 4, 6, 7, 8, 10, 11, 12, 14, 15, 16, 18, 19, 20, 22, 23, 24, 26, 27, 28, 30, 31),
        "H": (1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15),
        "I": (1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22),
    }.items()
    for number in numbers
]

#: By file the tests of other files, and the cases that they try.
ELSEWHERE = {
    "cli/test_cli.py": {
        "test_an_existing_report_is_replaced_only_by_force": "H09",
        "test_memory_that_is_not_there_is_no_impossible_fit": "I21",
    },
    "cli/test_doors.py": {
        "test_a_deep_study_document_and_key": "G30",
        "test_a_study_does_not_leave_its_folder": "H08",
    },
    "cli/test_process_contract.py": {"test_a_pipe_that_nobody_reads_and_a_full_disk": "H11"},
    "cli/test_same_from_anywhere.py": {
        "test_results_are_byte_identical_from_any_folder": "H15 I13",
    },
    "cli/test_study_cli.py": {"test_ctrl_c_is_exit_code_130_and_the_study_goes_on": "I01"},
    "core/test_notices.py": {"test_threads_neither_hear_nor_silence_each_other": "I22"},
    "data/test_engines.py": {
        "test_a_file_is_summarized_where_loading_it_breaks": "G26", "test_no_file_is_loaded": "G26",
    },
    "data/test_file_shapes.py": {
        "test_g20_doubles_come_back_bit_by_bit": "G20", "test_rows_and_bytes_are_bounded": "G26",
        "test_what_is_no_local_file_is_refused": "G28", "test_g31_strange_names": "G31",
        "test_parquet_without_pyarrow": "I16",
    },
    "data/test_scores.py": {"test_integers_ranges_and_float16": "B06"},
    "decision/test_epc.py": {"test_empirical_thresholds_equal_enumeration": "F10"},
    "distributions/test_contract_laws.py": {"test_what_is_refused": "E13", "test_limits": "A18"},
    "distributions/test_contract_pairs.py": {
        "test_binormal_formulas": "F06", "test_semi_derivatives_of_beta_pairs": "F07",
        "test_crossings_and_shape_against_signs_on_the_dense_grid": "F05",
    },
    "distributions/test_empirical_core.py": {
        "test_auc_eer_and_corners_are_brute_forces": "F03",
    },
    "ensemble/test_inclusion.py": {
        "test_a_classifier_given_twice_is_one": "F17", "test_a_weight_of_k_is_k_copies": "E07",
        "test_bad_input_is_named": "F18", "test_a_constant_classifier_is_named": "F18",
        "test_missing_scores_name_the_classifier_and_its_rows": "F18",
        "test_warnings_of_fits_name_their_classifier_and_are_kept": "F02",
    },
    "estimation/test_refusals.py": {
        "test_a_solver_that_stops_early_raises_with_the_partial_result": "F19",
    },
    "model/test_by_hand.py": {
        "test_accept_all_of_fractional_weights_is_trivial": "F10",
    },
    "model/test_extremes.py": {"test_beta_quantiles_below_1e_290": "F09"},
    "rendering/test_page_frame.py": {
        "test_the_policy_allows_this_style_and_this_script_alone": "H01",
    },
    "report/test_analysis.py": {
        "test_a_failure_leaves_the_old_file": "H12",
        "test_impossible_outputs_are_output_errors": "H11",
        "test_the_same_data_twice_is_said": "F11",
        "test_warnings_are_given_and_kept_with_the_set_they_speak_of": "C10",
    },
    "report/test_documents.py": {
        "test_broken_documents_are_refused_with_the_place": "G30",
        "test_texts_that_leave_something_in_doubt_are_refused": "G30",
        "test_deep_values_are_refused": "G30",
    },
    "report/test_report.py": {
        "test_page_is_inert_and_asks_for_nothing": "H01 H13",
        "test_hostile_names_are_only_text": "H01 H07",
        "test_no_foreign_text_enters_a_drawing": "H03 H04",
        "test_long_names_are_cut_with_the_whole_in_the_title": "H07",
    },
    "studies/test_study.py": {
        "test_a_killed_study_resumes_to_the_same_bytes": "I01",
        "test_a_worker_that_dies_ends_the_run_and_finished_parts_are_kept": "I02",
        "test_a_failing_trial_is_kept_with_its_error": "I04",
        "test_every_engine_gives_the_same_bytes": "I05",
        "test_any_block_gives_the_same_rows": "I05",
        "test_a_trial_draws_from_its_own_seed_sequence": "I06",
        "test_digests_hang_on_no_hash_seed": "I14", "test_a_full_disk_loses_nothing": "H11",
        "test_memory_that_is_short_is_no_result": "I21",
    },
    "test_security.py": {"test_no_cell_is_a_formula": "H05"},
    "test_surface_arrays.py": {"test_the_bits_of_the_doubles": "B07 B09 B18 B21 B22 B23"},
    "test_surface_locale.py": {"test_ascii_alone": "I12"},
}  # fmt: skip
#: What no test of this suite can try, and why.
OUT_OF_REACH = {
    "I08": "no worker calls BLAS for more than a moment: there are no threads to limit",
    "I17": "another environment: nox -s lowest and the job of that name, with tests/lowest.txt",
    "I18": "no scheduler is started: a cluster is the caller's own (docs/security.md)",
}


def _tried_here():
    """Letters and numbers at the start of the names of cases, and in names of tests."""
    files = [*TESTS.glob("hostile/test_*.py"), *TESTS.glob("helpers/hostile*.py")]
    own = Path(__file__).name
    text = "\n".join(p.read_text(encoding="utf-8") for p in files if p.name != own)
    names = re.findall(r'^ +"([A-I][0-9]{2}) [^"]*": ', text, re.MULTILINE)
    names += re.findall(r'case\("([A-I][0-9]{2}) ', text)
    tests = re.findall(r"^def test_((?:[a-i][0-9]{2}_)+)", text, re.MULTILINE)
    names += [one.upper() for many in tests for one in many.strip("_").split("_")]
    names += re.findall(r'^    """([A-I][0-9]{2})', text, re.MULTILINE)
    names += re.findall(r'^    """[A-I][0-9]{2}, ([A-I][0-9]{2})', text, re.MULTILINE)
    return set(names)


def test_every_case_is_accounted_for():
    elsewhere = {case for t in ELSEWHERE.values() for cases in t.values() for case in cases.split()}
    known = _tried_here() | elsewhere | OUT_OF_REACH.keys()
    assert len(CATALOGUE) == len(set(CATALOGUE)) == 129
    assert set(CATALOGUE) <= known, sorted(set(CATALOGUE) - known)
    assert not OUT_OF_REACH.keys() & (_tried_here() | elsewhere)


@pytest.mark.parametrize("file", ELSEWHERE)
def test_the_tests_of_other_files_are_there(file):
    text = (TESTS / file).read_text(encoding="utf-8")
    assert set(ELSEWHERE[file]) <= set(re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))
