import pytest

from reports.files import check_writable, written_whole
from theory import BadInput


def test_a_file_appears_whole(tmp_path):
    target = tmp_path / "page.html"
    with written_whole(target) as part:
        part.write_text("half")
        assert not target.exists()
        part.write_text("whole")
    assert target.read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_what_was_there(tmp_path, error):
    target = tmp_path / "page.html"
    target.write_text("old")

    def fail_half_way():
        with written_whole(target) as part:
            part.write_text("new")
            raise error

    with pytest.raises(error):
        fail_half_way()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_full_disk_is_one_clear_line(tmp_path):
    target = tmp_path / "page.html"
    with (
        pytest.raises(BadInput, match="could not be written: No space left"),
        written_whole(target),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_outputs_that_cannot_be_are_refused_before_any_work(tmp_path):
    with pytest.raises(BadInput, match="not a folder"):
        check_writable(tmp_path)
    with pytest.raises(BadInput, match="a folder that exists"):
        check_writable(tmp_path / "no" / "page.html", field="-o")
